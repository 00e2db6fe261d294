import { ActionIcon, Group, Menu, Table, Text, Title, Stack } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { PackDetail } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { exactMoment, moment } from '../../app/format.js';
import { useWho } from '../../app/who.js';
import { may, useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { Activate } from './activate.js';
import { usePlaces } from './places.js';
import { packsChanged } from './queries.js';

type Version = PackDetail['versions'][number];

/** Every version that is installed, newest first. */
export function Versions({ pack, manages }: { pack: PackDetail; manages: boolean }) {
  return (
    <Stack gap="xs" component="section" aria-label="Versions">
      <Title order={2} size="h4">
        Versions
      </Title>
      <Table aria-label="Versions" layout="fixed" verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Version</Table.Th>
            <Table.Th>Installed</Table.Th>
            <Table.Th className="hcp-wide">Digest</Table.Th>
            {manages && (
              <Table.Th w={60}>
                <span className="hcp-hidden">Actions</span>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {pack.versions.map((version) => (
            <Row key={version.version} pack={pack} version={version} manages={manages} />
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}

interface RowProps {
  readonly pack: PackDetail;
  readonly version: Version;
  readonly manages: boolean;
}

function Row({ pack, version: { version, digest, created_at, created_by, created_by_name }, manages }: RowProps) {
  const who = useWho();
  const place = usePlaces();
  const active = pack.activations.filter((each) => each.version === version);
  return (
    <Table.Tr>
      <Table.Td valign="top" className="hcp-value">
        <Text fw={600}>{version}</Text>
        {active.map(({ project_id }) => (
          <Text key={project_id} size="sm" c="dimmed">
            active in {place(project_id)}
          </Text>
        ))}
      </Table.Td>
      <Table.Td valign="top">
        <Text size="sm" title={exactMoment(created_at)}>
          {moment(created_at)}
        </Text>
        <Text size="sm" c="dimmed">
          by {created_by === null ? 'the platform' : who(created_by, created_by_name)}
        </Text>
      </Table.Td>
      <Table.Td valign="top" className="hcp-wide">
        <Text size="sm" ff="monospace" truncate title={digest}>
          {digest}
        </Text>
      </Table.Td>
      {manages && (
        <Table.Td valign="top" ta="right">
          <Acts pack={pack} version={version} active={active.length > 0} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

interface ActsProps {
  readonly pack: PackDetail;
  readonly version: string;
  readonly active: boolean;
}

function Acts({ pack: { pack_id, platform, versions }, version, active }: ActsProps) {
  const me = useMe();
  const [open, setOpen] = useState<'activate' | 'delete' | null>(null);
  const deletes = !platform || may(me, 'platform.manage');
  const remove = async (): Promise<void> => {
    await api.packs.deleteVersion(pack_id, version);
    await packsChanged();
  };
  const close = (): void => setOpen(null);
  return (
    <Group justify="flex-end">
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon variant="default" aria-label={`Actions for version ${version}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setOpen('activate')}>Activate…</Menu.Item>
          {deletes && (
            <Menu.Item color="red" disabled={active} onClick={() => setOpen('delete')}>
              {active ? 'Delete (is active)' : 'Delete…'}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {open === 'activate' && <Activate pack_id={pack_id} version={version} onClose={close} />}
      <Ask
        opened={open === 'delete'}
        onClose={close}
        title={`Delete ${pack_id} ${version}?`}
        yes="Delete the version"
        danger
        act={remove}
      >
        It cannot be activated or rolled back to any more, and its files are gone. Runs of it stay in the list.
        {versions.length === 1 && ' It is the only version: the pack goes with it.'}
      </Ask>
    </Group>
  );
}
