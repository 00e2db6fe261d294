import { Paper, Table, Title } from '@mantine/core';
import type { Access } from '@hcp/contracts';
import { duration } from '../../app/format.js';

const LABEL: Record<Exclude<keyof Access['effective'], 'packs'>, string> = {
  mode: 'Mode',
  max_mode: 'How far a process may loosen the mode',
  approvals: 'Whose yes counts',
  second_person: 'Somebody else than who asked has to decide',
  approvers: 'How many people must say yes',
  reason_required: 'A decision needs a reason',
  pending_ttl_s: 'How long a request waits',
  member_access: 'Members may set what is for their own calls',
};

const shown = (value: string | number | boolean | null): string => {
  if (value === true) return 'yes';
  if (value === false) return 'no';
  return value === null ? 'not set' : String(value);
};

/** What is in force for this person, each value with the layer that it comes from. */
export function Effective({ access }: { access: Access }) {
  const { packs, ...settings } = access.effective;
  const names = Object.keys(LABEL) as (keyof typeof LABEL)[];
  return (
    <Paper withBorder p="lg" component="section" aria-label="In force">
      <Title order={2} size="h5" mb="sm">
        In force for you
      </Title>
      <Table aria-label="Settings in force">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Setting</Table.Th>
            <Table.Th>Value</Table.Th>
            <Table.Th>Set by</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {names.map((name) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                {LABEL[name]}
              </Table.Th>
              <Table.Td>
                {name === 'pending_ttl_s' ? duration(settings[name].value * 1000) : shown(settings[name].value)}
              </Table.Td>
              <Table.Td>{settings[name].layer}</Table.Td>
            </Table.Tr>
          ))}
          {Object.entries(packs).map(([pack_id, { mode }]) => (
            <Table.Tr key={pack_id}>
              <Table.Th scope="row" fw={400}>
                Mode of {pack_id}
              </Table.Th>
              <Table.Td>{mode.value}</Table.Td>
              <Table.Td>{mode.layer}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
