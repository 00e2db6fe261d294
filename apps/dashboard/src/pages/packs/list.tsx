import { Code, Group, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { PackSummary } from '@hcp/contracts';
import { number } from '../../app/format.js';
import { may, useMe } from '../../app/session.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Foreign } from '../../parts/foreign.js';
import { TextLink } from '../../parts/link.js';
import { Loading } from '../../parts/loading.js';
import { More } from '../../parts/more.js';
import { Page } from '../../parts/page.js';
import { PackBadges } from './badges.js';
import { Credential } from './credential.js';
import { usePlaces } from './places.js';
import { PACKS } from './queries.js';
import { Upload } from './upload.js';

export function PackList() {
  const installs = may(useMe(), 'pack.install');
  const list = useInfiniteQuery(PACKS);
  const packs = list.data?.pages.flatMap((page) => page.items) ?? [];
  const own = packs.some(({ platform }) => !platform);
  return (
    <Page title="Packs" about="A pack describes the commands of one program or API. What is active can be called.">
      {installs && <Upload />}
      {list.isError && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.data && !own && !list.hasNextPage && <First installs={installs} />}
      {packs.length > 0 && <Rows packs={packs} />}
      {list.hasNextPage && <More loading={list.isFetchingNextPage} onReached={() => void list.fetchNextPage()} />}
    </Page>
  );
}

/** How one gets a first pack. */
function First({ installs }: { installs: boolean }) {
  if (!installs) {
    return (
      <Empty title="No pack that you may use is installed">
        A pack brings the commands of one program or API. Somebody who may install packs can add one.
      </Empty>
    );
  }
  return (
    <Empty title="Install a first pack">
      Drop the folder of a pack above. On the command line <Code>hcpx pack push FOLDER --activate</Code> does the same,
      and <Code>hcpx wrap PROGRAM</Code> drafts a pack of a program that you have, from its help.
    </Empty>
  );
}

function Rows({ packs }: { packs: readonly PackSummary[] }) {
  return (
    <Table aria-label="Packs" highlightOnHover layout="fixed" verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Pack</Table.Th>
          <Table.Th w="34%">Active</Table.Th>
          <Table.Th w={120} className="hcp-wide" ta="right">
            Commands
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {packs.map((pack) => (
          <Row key={pack.pack_id} pack={pack} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ pack }: { pack: PackSummary }) {
  return (
    <Table.Tr>
      <Table.Td valign="top">
        <Group gap="xs">
          <TextLink to="/packs/$pack_id" params={{ pack_id: pack.pack_id }} fw={600}>
            {pack.pack_id}
          </TextLink>
          <PackBadges pack={pack} />
        </Group>
        <Text size="sm" c="dimmed" lineClamp={2}>
          <Foreign text={pack.description} />
        </Text>
        {pack.credential && pack.credential.state !== 'active' && <Credential credential={pack.credential} />}
      </Table.Td>
      <Table.Td valign="top">
        <Active pack={pack} />
      </Table.Td>
      <Table.Td valign="top" className="hcp-wide" ta="right">
        {number(pack.command_count)}
      </Table.Td>
    </Table.Tr>
  );
}

function Active({ pack: { activations } }: { pack: PackSummary }) {
  const place = usePlaces();
  if (activations.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        not active
      </Text>
    );
  }
  return (
    <Stack gap={2}>
      {activations.map(({ project_id, version }) => (
        <Text key={project_id} size="sm" className="hcp-value">
          {version}{' '}
          <Text span size="sm" c="dimmed">
            in {place(project_id)}
          </Text>
        </Text>
      ))}
    </Stack>
  );
}
