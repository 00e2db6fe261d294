import { Group, Select, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { Binding } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { moment } from '../../app/format.js';
import { useProjectName } from '../../app/projects.js';
import { may, useMe } from '../../app/session.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { Loaded, Loading } from '../../parts/loading.js';
import { More } from '../../parts/more.js';
import { Page } from '../../parts/page.js';
import { bindingPages, PACKS_TO_CONNECT } from './queries.js';
import { StaleBanner } from './stale-banner.js';
import { BindingBadge } from './state-badge.js';
import { KIND, toMend, whose, whyNot } from './words.js';

export function BindingList() {
  const me = useMe();
  const [pack_id, setPack] = useState<string>();
  const packs = useQuery(PACKS_TO_CONNECT);
  const list = useInfiniteQuery(bindingPages(pack_id));
  const bindings = list.data?.pages.flatMap((page) => page.items) ?? [];
  const connects = may(me, 'pack.connect') || may(me, 'binding.manage');
  const nothing = list.data !== undefined && bindings.length === 0 && !list.hasNextPage;
  return (
    <Page
      title="Bindings"
      about="The credentials that commands run with: yours, and the shared ones that you manage. Their values cannot be read back."
      actions={
        connects && packs.data && packs.data.length > 0 ? (
          <ButtonLink to="/bindings/connect">Connect a pack</ButtonLink>
        ) : undefined
      }
    >
      <StaleBanner />
      {packs.data && packs.data.length > 1 && (!nothing || pack_id !== undefined) && (
        <Group>
          <Select
            label="Pack"
            placeholder="Any"
            clearable
            searchable
            w={220}
            data={packs.data.map((pack) => pack.pack_id)}
            value={pack_id ?? null}
            onChange={(value) => setPack(value ?? undefined)}
          />
        </Group>
      )}
      {list.isError && <ErrorBox error={list.error} retry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {nothing && <Nothing filtered={pack_id !== undefined} connects={connects} />}
      {bindings.length > 0 && <Rows bindings={bindings} />}
      {list.hasNextPage && <More loading={list.isFetchingNextPage} onReached={() => void list.fetchNextPage()} />}
    </Page>
  );
}

function Nothing({ filtered, connects }: { filtered: boolean; connects: boolean }) {
  const packs = useQuery(PACKS_TO_CONNECT);
  if (filtered) return <Empty title="This pack is not connected">Choose another pack, or connect this one.</Empty>;
  return (
    <Loaded query={packs}>
      {(needing) =>
        needing.length === 0 ? (
          <Empty title="No pack here needs a credential" action={<ButtonLink to="/packs">See the packs</ButtonLink>}>
            A pack that signs in somewhere says what it needs. Once one is installed and active, it is connected here.
          </Empty>
        ) : (
          <Empty
            title="Nothing is connected yet"
            action={connects ? <ButtonLink to="/bindings/connect">Connect a pack</ButtonLink> : undefined}
          >
            {needing.length === 1 ? 'One pack needs' : `${String(needing.length)} packs need`} a credential before its
            commands run.{' '}
            {connects
              ? 'Connect it once; from then on commands have it.'
              : 'Ask somebody who manages access to let you.'}
          </Empty>
        )
      }
    </Loaded>
  );
}

function Rows({ bindings }: { bindings: readonly Binding[] }) {
  const project = useProjectName();
  return (
    <Table.ScrollContainer minWidth={300} type="native">
      <Table highlightOnHover aria-label="Bindings">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Pack</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>For</Table.Th>
            <Table.Th className="hcp-wide">Kind</Table.Th>
            <Table.Th className="hcp-wide">Family</Table.Th>
            <Table.Th className="hcp-wide">Last changed</Table.Th>
            <Table.Th className="hcp-wide">Ends</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {bindings.map((binding) => (
            <Table.Tr key={binding.id}>
              <Table.Td>
                <TextLink to="/bindings/$id" params={{ id: binding.id }} className="hcp-value">
                  {binding.pack_id}
                </TextLink>
                {binding.account_name !== null && (
                  <Text size="xs" c="dimmed" className="hcp-value">
                    <bdi>{escapeInvisible(binding.account_name)}</bdi>
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                <BindingBadge state={binding.state} />
                {toMend(binding) && (
                  <Text size="xs" c="dimmed">
                    {whyNot(binding)}
                  </Text>
                )}
              </Table.Td>
              <Table.Td>
                {whose(binding)}
                {binding.project_id !== null && (
                  <Text size="xs" c="dimmed" className="hcp-value">
                    in <bdi>{project(binding.project_id)}</bdi>
                  </Text>
                )}
              </Table.Td>
              <Table.Td className="hcp-wide">{KIND[binding.kind]}</Table.Td>
              <Table.Td className="hcp-wide">{binding.family}</Table.Td>
              <Table.Td className="hcp-wide">{moment(binding.rotated_at)}</Table.Td>
              <Table.Td className="hcp-wide">
                {binding.expires_at === null ? 'never' : moment(binding.expires_at)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
