import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Folder, FolderEntry } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../../app/api.js';
import { bytes, moment } from '../../../app/format.js';
import { Ask } from '../../../parts/ask.js';
import { ErrorBox } from '../../../parts/error-box.js';
import { filesChanged, joined } from './file-queries.js';

const KIND: Record<FolderEntry['kind'], string> = { file: '', folder: 'folder', link: 'link', other: 'no plain file' };

interface FileTableProps {
  readonly project_id: string;
  readonly path: string;
  readonly folder: Folder;
  readonly onOpen: (path: string) => void;
}

export function FileTable({ project_id, path, folder, onOpen }: FileTableProps) {
  const [removing, setRemoving] = useState<FolderEntry | null>(null);
  const download = useMutation({
    mutationFn: async (name: string) => save(name, await api.files.get(project_id, joined(path, name))),
    gcTime: 0,
  });
  const remove = async (): Promise<void> => {
    if (removing === null) return;
    const recursive = removing.kind === 'folder' ? ({ recursive: '1' } as const) : {};
    await api.files.delete(project_id, joined(path, removing.name), recursive);
    await filesChanged(project_id);
  };
  if (folder.items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {path === ''
          ? 'There are no files yet. Upload the first, or let a command write one.'
          : 'This folder is empty.'}
      </Text>
    );
  }
  const name = escapeInvisible(removing?.name ?? '');
  return (
    <>
      <Table aria-label="Files">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th className="hcp-wide">Size</Table.Th>
            <Table.Th className="hcp-wide">Changed</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {folder.items.map((entry) => (
            <Row
              key={entry.name}
              entry={entry}
              onOpen={() => onOpen(joined(path, entry.name))}
              onDownload={() => download.mutate(entry.name)}
              downloading={download.isPending && download.variables === entry.name}
              onRemove={() => setRemoving(entry)}
            />
          ))}
        </Table.Tbody>
      </Table>
      {folder.truncated && (
        <Text size="sm" c="dimmed">
          There are more than are shown here. hcpx and the API reach each by its path.
        </Text>
      )}
      {download.isError && <ErrorBox error={download.error} />}
      <Ask
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        title={removing?.kind === 'folder' ? 'Remove this folder?' : 'Remove this file?'}
        yes="Remove it"
        danger
        act={remove}
      >
        {removing?.kind === 'folder' ? `${name} and everything in it` : name} is gone then, for every command of this
        project. It cannot be brought back.
      </Ask>
    </>
  );
}

interface RowProps {
  readonly entry: FolderEntry;
  readonly downloading: boolean;
  readonly onOpen: () => void;
  readonly onDownload: () => void;
  readonly onRemove: () => void;
}

function Row({ entry, downloading, onOpen, onDownload, onRemove }: RowProps) {
  const { kind, size, modified_at, addressable } = entry;
  const name = escapeInvisible(entry.name);
  return (
    <Table.Tr>
      <Table.Td className="hcp-value">
        {kind === 'folder' && addressable ? (
          <Anchor component="button" type="button" size="sm" ta="left" className="hcp-value" onClick={onOpen}>
            {name}/
          </Anchor>
        ) : (
          name
        )}
        {kind !== 'file' && kind !== 'folder' && (
          <Text span size="xs" c="dimmed">
            {' '}
            {KIND[kind]}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="hcp-wide">{size === null ? '' : bytes(size)}</Table.Td>
      <Table.Td className="hcp-wide">{moment(modified_at)}</Table.Td>
      <Table.Td>
        {addressable && (
          <Group gap="xs" justify="flex-end">
            {kind === 'file' && (
              <Button
                size="xs"
                variant="default"
                loading={downloading}
                onClick={onDownload}
                aria-label={`Download ${name}`}
              >
                Download
              </Button>
            )}
            <Button size="xs" variant="default" onClick={onRemove} aria-label={`Remove ${name}`}>
              Remove
            </Button>
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

/** Hands bytes to the browser as a download; they are never opened as a page. */
function save(name: string, content: Uint8Array): void {
  const url = URL.createObjectURL(new Blob([content as Uint8Array<ArrayBuffer>], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
