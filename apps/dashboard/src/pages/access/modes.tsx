import { Paper, Radio, Stack, Text, Title } from '@mantine/core';
import type { Access } from '@hcp/contracts';
import { DEFAULT_MODE, type Mode, MODES } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { may, useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { LAYER_WORDS } from '../../parts/layers.js';
import { ModeExceptions } from './mode-exceptions.js';
import { MODE_MEANING } from './mode-words.js';
import { accessChanged } from './queries.js';

interface ModesProps {
  readonly access: Access;
  readonly project: string | null;
}

/** What runs where no rule speaks: for everybody, and where it differs. */
export function Modes({ access, project }: ModesProps) {
  const me = useMe();
  const { value, layer } = access.effective.mode;
  const set = access.layers.find((each) => each.layer === 'tenant')?.settings['mode'];
  const everybody = MODES.find((mode) => mode === set) ?? DEFAULT_MODE;
  const manages = may(me, 'access.manage');
  return (
    <Paper withBorder p="lg" component="section" aria-label="Mode" id="mode" tabIndex={-1}>
      <Stack gap="md">
        <div>
          <Title order={2} size="h5">
            Mode
          </Title>
          <Text size="sm" c="dimmed">
            It decides where no rule does.
          </Text>
        </div>
        {manages ? (
          <TenantMode value={everybody} />
        ) : (
          <Text size="sm">
            <Text span fw={600}>
              {everybody}
            </Text>
            : {MODE_MEANING[everybody]}
          </Text>
        )}
        {(layer !== 'tenant' && layer !== 'default') || value !== everybody ? (
          <Text size="sm">
            For you it is <b>{value}</b> here, set by {LAYER_WORDS[layer]}: {MODE_MEANING[value]}
          </Text>
        ) : null}
        <ModeExceptions access={access} project={project} />
      </Stack>
    </Paper>
  );
}

function TenantMode({ value }: { value: Mode }) {
  const [wanted, setWanted] = useState<Mode | null>(null);
  const change = async (mode: Mode): Promise<void> => {
    await api.access.setMode({ mode });
    await accessChanged();
  };
  return (
    <>
      <Radio.Group
        label="For everybody"
        value={value}
        onChange={(chosen) => setWanted(MODES.find((mode) => mode === chosen) ?? null)}
      >
        <Stack gap="xs" mt="xs">
          {MODES.map((mode) => (
            <Radio key={mode} value={mode} label={mode} description={MODE_MEANING[mode]} />
          ))}
        </Stack>
      </Radio.Group>
      <Ask
        opened={wanted !== null}
        onClose={() => setWanted(null)}
        title={`Set the mode to ${wanted ?? value}?`}
        yes="Set the mode"
        act={() => change(wanted ?? value)}
      >
        {MODE_MEANING[wanted ?? value]} It counts for everybody’s next call. Rules, and settings that are stricter,
        still count.
      </Ask>
    </>
  );
}
