import { Button, Code, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { IconDownload } from '@tabler/icons-react';
import { ROUTES } from '@hcp/contracts';
import { api } from '../../app/api.js';
import { ErrorBox } from '../../parts/error-box.js';
import { type AuditSearch, queryOf } from './search.js';

/** The log as a file, and how to verify it. */
export function ExportLog({ search }: { search: AuditSearch }) {
  const [opened, { open, close }] = useDisclosure(false);
  const saving = useMutation({ mutationFn: download });
  const shut = (): void => {
    saving.reset();
    close();
  };
  const filtered = Object.keys(search).length > 0;
  const heading = (
    <Title order={2} size="h4">
      Export the log
    </Title>
  );
  return (
    <>
      <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={open}>
        Export
      </Button>
      <Modal opened={opened} onClose={shut} title={heading} size="lg">
        <Stack>
          <Text size="sm">
            A file with a line of JSON for each event and signed checkpoints among them. Whoever has it can verify,
            without a connection, that no event was changed, removed, moved or put in:
          </Text>
          <Code block className="hcp-code">
            {'hcpx audit key > log-key\nhcpx audit verify hcp-audit-….ndjson --key log-key'}
            {filtered && ' --partial'}
          </Code>
          <Text size="sm" c="dimmed">
            The first takes the log’s key from here and is needed once. Events that are left out are in the file as
            hashes, so a part can be verified too, with --partial.
          </Text>
          {saving.isError && <ErrorBox error={saving.error} />}
          {saving.isSuccess && (
            <Text size="sm" role="status">
              The download has begun; your browser shows how far it is.
            </Text>
          )}
          <Group justify="flex-end">
            {filtered && (
              <Button variant="default" loading={saving.isPending} onClick={() => saving.mutate(search)}>
                Download what is filtered
              </Button>
            )}
            <Button loading={saving.isPending} onClick={() => saving.mutate({})}>
              Download the whole log
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/**
 * By a link of this page, so that the browser writes the file as it comes and no script holds the log. The API is asked
 * something first: that renews a session that ran out, and says in words what a link could not.
 */
async function download(search: AuditSearch): Promise<void> {
  await api.audit.checkpoint();
  const given = Object.entries(queryOf(search)).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const link = document.createElement('a');
  link.href = `${ROUTES.audit_export.path}?${new URLSearchParams(given).toString()}`;
  link.download = '';
  link.click();
}
