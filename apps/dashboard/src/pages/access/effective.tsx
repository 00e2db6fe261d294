import { Paper, Table, Text, Title } from '@mantine/core';
import type { Access } from '@hcp/contracts';
import { span } from '../../app/format.js';
import { LAYER_WORDS } from '../../parts/layers.js';

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
  if (value === null) return 'not set';
  return value === 'human' ? 'a person’s' : value === 'agent' ? 'also an agent’s' : String(value);
};

/** What is in force for this person, each value with the layer that it comes from. */
export function Effective({ access }: { access: Access }) {
  const { packs, ...settings } = access.effective;
  const names = Object.keys(LABEL) as (keyof typeof LABEL)[];
  return (
    <Paper withBorder p="lg" component="section" aria-label="In force">
      <Title order={2} size="h5">
        In force for you
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Where several set the same, the first of these counts: the calling process, you, the tenant for a pack, the
        tenant. The operator and a project only tighten.
      </Text>
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
              <Table.Td>{name === 'pending_ttl_s' ? span(settings[name].value) : shown(settings[name].value)}</Table.Td>
              <Table.Td>{LAYER_WORDS[settings[name].layer]}</Table.Td>
            </Table.Tr>
          ))}
          {Object.entries(packs).map(([pack_id, { mode }]) => (
            <Table.Tr key={pack_id}>
              <Table.Th scope="row" fw={400}>
                Mode of {pack_id}
              </Table.Th>
              <Table.Td>{mode.value}</Table.Td>
              <Table.Td>{LAYER_WORDS[mode.layer]}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
