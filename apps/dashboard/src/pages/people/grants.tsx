import { Button, Group, Paper, Select, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { GrantRecord } from '@hcp/contracts';
import { CAPABILITIES, type Capability, escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { shortId } from '../../app/format.js';
import { useNames } from '../../app/names.js';
import { Empty } from '../../parts/empty.js';
import { TextLink } from '../../parts/link.js';
import { Paged } from '../../parts/paged.js';
import { AddGrant } from './add-grant.js';
import { PeopleFrame } from './frame.js';
import { TakeAway } from './own-grants.js';
import { grantPages, PRINCIPALS, useProjectNames } from './queries.js';
import { isOver, Meaning, reach } from './rights.js';

export function Grants() {
  return (
    <PeopleFrame title="Grants" about="Single rights of people, agents and services, besides what their roles give.">
      <Content />
    </PeopleFrame>
  );
}

function Content() {
  const [principal_id, setPrincipal] = useState<string | null>(null);
  const [capability, setCapability] = useState<Capability | null>(null);
  const [added, setAdded] = useState(false);
  const list = useInfiniteQuery(grantPages(principal_id, capability));
  const filtered = principal_id !== null || capability !== null;
  return (
    <>
      <Add onAdded={() => setAdded(true)} />
      {added && (
        <Text size="sm" role="status">
          The grant was added.
        </Text>
      )}
      <Group gap="sm" align="flex-end">
        <PrincipalSelect label="Of" placeholder="Everybody" value={principal_id} onChange={setPrincipal} />
        <Select
          label="Right"
          placeholder="Any"
          clearable
          searchable
          w={320}
          maw="100%"
          data={CAPABILITIES.map((value) => ({ value, label: `${Meaning(value)} (${value})` }))}
          value={capability}
          onChange={(value) => setCapability(value)}
        />
      </Group>
      <Paged
        list={list}
        empty={
          filtered ? (
            <Empty title="None matches">Choose other filters, or clear them.</Empty>
          ) : (
            <Empty title="There is no grant">
              Roles give what they give; add a grant where somebody needs one right more.
            </Empty>
          )
        }
      >
        {(grants) => <Rows grants={grants} />}
      </Paged>
    </>
  );
}

interface PrincipalSelectProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | null;
  readonly onChange: (id: string | null) => void;
}

function PrincipalSelect(props: PrincipalSelectProps) {
  const principals = useQuery(PRINCIPALS);
  const data = (principals.data ?? []).map(({ id, name, kind, email }) => ({
    value: id,
    label: `${escapeInvisible(name)} (${escapeInvisible(email ?? `${kind} …${shortId(id)}`)})`,
  }));
  return <Select {...props} clearable searchable limit={100} w={320} maw="100%" data={data} />;
}

function Add({ onAdded }: { onAdded: () => void }) {
  const [open, setOpen] = useState(false);
  const [principal_id, setPrincipal] = useState<string | null>(null);
  if (!open) {
    return (
      <Group>
        <Button onClick={() => setOpen(true)}>Add a grant</Button>
      </Group>
    );
  }
  const close = (): void => {
    setOpen(false);
    setPrincipal(null);
  };
  return (
    <Paper withBorder p="lg" component="section" aria-label="A new grant">
      <Stack gap="sm">
        <PrincipalSelect label="For" placeholder="Choose somebody" value={principal_id} onChange={setPrincipal} />
        {principal_id === null ? (
          <Group>
            <Button variant="default" onClick={close}>
              Leave it
            </Button>
          </Group>
        ) : (
          <AddGrant
            key={principal_id}
            principal_id={principal_id}
            onClose={close}
            onAdded={() => {
              close();
              onAdded();
            }}
          />
        )}
      </Stack>
    </Paper>
  );
}

function Rows({ grants }: { grants: readonly GrantRecord[] }) {
  const nameOf = useNames();
  const projectName = useProjectNames();
  return (
    <Table aria-label="Grants">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Who</Table.Th>
          <Table.Th>May</Table.Th>
          <Table.Th>
            <VisuallyHidden>Act</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {grants.map((grant) => (
          <Table.Tr key={grant.id}>
            <Table.Td className="hcp-value">
              <TextLink to="/people/$id" params={{ id: grant.principal_id }} preload={false}>
                {nameOf(grant.principal_id)}
              </TextLink>
            </Table.Td>
            <Table.Td className="hcp-value">
              {Meaning(grant.capability)}
              <Text size="sm" c="dimmed">
                {reach(grant, projectName)}
                {isOver(grant) && ' · over'}
              </Text>
            </Table.Td>
            <Table.Td>
              <TakeAway grant={grant} whose={nameOf(grant.principal_id)} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
