import { Anchor, Breadcrumbs, Button, FileButton, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { HcpError } from '@hcp/sdk';
import { MAX_FILE_BYTES } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useRef, useState } from 'react';
import { api } from '../../../app/api.js';
import { bytes } from '../../../app/format.js';
import { Ask } from '../../../parts/ask.js';
import { ErrorBox } from '../../../parts/error-box.js';
import { Loaded } from '../../../parts/loading.js';
import { Said } from '../../../parts/said.js';
import { FileTable } from './file-table.js';
import { filesChanged, filesIn, joined } from './file-queries.js';

/** What the commands that run in this project find there. */
export function Files({ project_id }: { project_id: string }) {
  const [path, setPath] = useState('');
  const query = useQuery(filesIn(project_id, path));
  const missing =
    query.error instanceof HcpError && query.error.status === 503 && query.error.message.includes('data directory');
  return (
    <Paper withBorder p="lg" component="section" aria-label="Files">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            Files
          </Title>
          <Text size="sm" c="dimmed">
            What commands that run in this project read and write. A file is {bytes(MAX_FILE_BYTES)} at most.
          </Text>
        </div>
        {missing ? (
          <Text size="sm">
            This installation keeps no files: its API has no data folder. Whoever operates it sets HCP_DATA_DIR, then
            files appear here.
          </Text>
        ) : (
          <>
            <Trail path={path} onOpen={setPath} />
            <Loaded query={query}>
              {(folder) => (
                <>
                  <FileTable project_id={project_id} path={path} folder={folder} onOpen={setPath} />
                  <Upload
                    key={path}
                    project_id={project_id}
                    path={path}
                    present={folder.items.map(({ name }) => name)}
                  />
                </>
              )}
            </Loaded>
          </>
        )}
      </Stack>
    </Paper>
  );
}

function Trail({ path, onOpen }: { path: string; onOpen: (path: string) => void }) {
  const parts = path === '' ? [] : path.split('/');
  const to = (target: string, label: string, here: boolean) =>
    here ? (
      <Text key={target} size="sm" className="hcp-value" aria-current="location">
        {label}
      </Text>
    ) : (
      <Anchor key={target} component="button" type="button" size="sm" onClick={() => onOpen(target)}>
        {label}
      </Anchor>
    );
  return (
    <nav aria-label="Folder">
      <Breadcrumbs>
        {to('', 'All files', parts.length === 0)}
        {parts.map((part, index) =>
          to(parts.slice(0, index + 1).join('/'), escapeInvisible(part), index === parts.length - 1),
        )}
      </Breadcrumbs>
    </nav>
  );
}

interface UploadProps {
  readonly project_id: string;
  readonly path: string;
  readonly present: readonly string[];
}

function Upload({ project_id, path, present }: UploadProps) {
  const [folder, setFolder] = useState(path);
  const [replacing, setReplacing] = useState<File | null>(null);
  const [large, setLarge] = useState<string | null>(null);
  const put = useMutation({
    mutationFn: async (file: File) => {
      const target = joined(folder.replace(/^\/+|\/+$/g, ''), file.name);
      const written = await api.files.put(project_id, target, new Uint8Array(await file.arrayBuffer()));
      await filesChanged(project_id);
      return written;
    },
    // The file's bytes are not kept.
    gcTime: 0,
  });
  // So that the same file can be chosen once more.
  const reset = useRef<() => void>(null);
  const choose = (file: File | null): void => {
    reset.current?.();
    put.reset();
    setLarge(null);
    if (file === null) return;
    if (file.size > MAX_FILE_BYTES) setLarge(file.name);
    else if (folder === path && present.includes(file.name)) setReplacing(file);
    else put.mutate(file);
  };
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Put into the folder"
          placeholder="All files"
          w={240}
          value={folder}
          onChange={({ currentTarget }) => setFolder(currentTarget.value)}
        />
        <FileButton resetRef={reset} onChange={choose} inputProps={{ 'aria-label': 'File to upload' }}>
          {(props) => (
            <Button {...props} loading={put.isPending}>
              Upload a file
            </Button>
          )}
        </FileButton>
      </Group>
      {large !== null && (
        <Text size="sm" role="alert" c="var(--mantine-color-error)">
          {escapeInvisible(large)} is larger than {bytes(MAX_FILE_BYTES)}. Put it in smaller parts.
        </Text>
      )}
      {put.isError && <ErrorBox error={put.error} />}
      {put.isSuccess && (
        <Said>
          {`${escapeInvisible(put.data.path)} is ${put.data.created ? 'there' : 'replaced'}, ${bytes(put.data.size)}.`}
        </Said>
      )}
      <Ask
        opened={replacing !== null}
        onClose={() => setReplacing(null)}
        title="Replace this file?"
        yes="Replace it"
        danger
        act={async () => {
          if (replacing !== null) await put.mutateAsync(replacing);
        }}
      >
        {escapeInvisible(replacing?.name ?? '')} is there already. What is in it now is gone then.
      </Ask>
    </Stack>
  );
}
