import { MultiSelect, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Capability } from '@hcp/core';
import { PACKS } from './queries.js';

/** In which packs. */
export interface Reach {
  readonly where: 'none' | 'all' | 'some';
  readonly packs: readonly string[];
}
export const NOTHING: Reach = { where: 'none', packs: [] };

export function grantsOfReach(
  capability: Capability,
  { where, packs }: Reach,
): { capability: Capability; pack_id?: string }[] {
  if (where === 'none') return [];
  return where === 'all' ? [{ capability }] : packs.map((pack_id) => ({ capability, pack_id }));
}

export interface ReachOfProps {
  readonly label: string;
  readonly value: Reach;
  readonly onChange: (reach: Reach) => void;
  /** Whether the caller holds it at all. */
  readonly held: boolean;
  /** What is wrong with the packs that were chosen. */
  readonly error?: string | undefined;
}

export function ReachOf({ label, value, onChange, held, error }: ReachOfProps) {
  const packs = useQuery(PACKS);
  if (!held) {
    return (
      <Text size="sm" c="dimmed">
        {label}: you may not do this yourself, so you cannot let it.
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      <Radio.Group label={label} value={value.where} onChange={(where) => onChange({ ...value, where: where })}>
        <Stack gap={6} mt={6}>
          <Radio value="none" label="No" />
          <Radio value="all" label="In every pack, also those that come later" />
          <Radio value="some" label="In some packs" />
        </Stack>
      </Radio.Group>
      {value.where === 'some' && (
        <MultiSelect
          label={`${label}, in the packs`}
          searchable
          clearable
          withAsterisk
          error={error}
          w={420}
          maw="100%"
          data={packs.data?.map(({ pack_id }) => pack_id) ?? []}
          value={[...value.packs]}
          onChange={(chosen) => onChange({ ...value, packs: chosen })}
        />
      )}
    </Stack>
  );
}

/** Whether packs were to be chosen and none was. */
export const isUnsaid = ({ where, packs }: Reach): boolean => where === 'some' && packs.length === 0;
