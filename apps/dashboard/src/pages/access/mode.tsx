import { Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import type { Access } from '@hcp/contracts';
import { type Mode, MODES } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { may, useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { accessChanged } from './queries.js';

const MEANING: Record<Mode, string> = {
  manual: 'Everything that writes asks a person first.',
  auto: 'Reads and ordinary writes run; what its pack marks for confirmation asks.',
  run: 'Everything runs but what must always ask.',
};

/** The mode of the tenant; those who may not change it see it. */
export function ModeControl({ access }: { access: Access }) {
  const me = useMe();
  const { value, layer } = access.effective.mode;
  const [wanted, setWanted] = useState<Mode | null>(null);
  const change = async (mode: Mode): Promise<void> => {
    await api.access.setMode({ mode });
    await accessChanged();
  };
  return (
    <Paper withBorder p="lg" component="section" aria-label="Mode">
      <Stack gap="xs" align="flex-start">
        <Title order={2} size="h5">
          Mode
        </Title>
        {may(me, 'access.manage') ? (
          <SegmentedControl
            aria-label="Mode of the tenant"
            value={value}
            onChange={(mode) => setWanted(mode)}
            data={MODES.map((mode) => ({ value: mode, label: mode }))}
          />
        ) : (
          <Text fw={600}>{value}</Text>
        )}
        <Text size="sm">
          {MEANING[value]}{' '}
          <Text span size="sm" c="dimmed">
            Set by: {layer}.
          </Text>
        </Text>
        <Ask
          opened={wanted !== null}
          onClose={() => setWanted(null)}
          title={`Set the mode to ${wanted ?? value}?`}
          yes="Set the mode"
          act={() => change(wanted ?? value)}
        >
          {MEANING[wanted ?? value]} It counts for everybody’s next call. Rules, and settings that are stricter, still
          count.
        </Ask>
      </Stack>
    </Paper>
  );
}
