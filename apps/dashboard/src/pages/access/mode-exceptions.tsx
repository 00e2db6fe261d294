import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Access, SetMode } from '@hcp/contracts';
import { escapeInvisible, type Layer, type Mode, settingsSchema } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { PROJECTS } from '../../app/projects.js';
import { may, useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { AddModeException } from './add-mode-exception.js';
import { MODE_MEANING } from './mode-words.js';
import { accessChanged } from './queries.js';

interface Exception {
  readonly key: string;
  readonly words: string;
  readonly mode: Mode;
  /** Where it was set; null: not here. */
  readonly place: Omit<SetMode, 'mode'> | null;
}

interface ModeExceptionsProps {
  readonly access: Access;
  readonly project: string | null;
  /** Of the project alone, not what counts everywhere. */
  readonly alone?: boolean;
}

/** Where another mode counts than everybody's: for a pack, in the project that is looked at, for oneself. */
export function ModeExceptions({ access, project, alone = false }: ModeExceptionsProps) {
  const me = useMe();
  const projects = useQuery(PROJECTS);
  const name = escapeInvisible(projects.data?.find(({ id }) => id === project)?.name ?? 'this project');
  const manages = may(me, 'access.manage');
  const own = !alone && access.effective.member_access.value;
  const found = [
    ...(alone ? [] : everywhere(access)),
    ...(project === null ? [] : wholeMode(access, 'project', `everything in ${name}`, { project_id: project })),
    ...(project === null
      ? []
      : packModes(access, 'project', (pack_id) => `${pack_id} in ${name}`, { project_id: project })),
  ];
  if (found.length === 0 && !manages && !own) return null;
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {alone ? 'Its modes' : 'Where it differs'}
      </Text>
      {found.length > 0 && (
        <ul className="hcp-list" aria-label="Where the mode differs">
          {found.map((exception) => (
            <li key={exception.key}>
              <Row exception={exception} changeable={manages || exception.place?.own === true} />
            </li>
          ))}
        </ul>
      )}
      {(manages || own) && (
        <AddModeException manages={manages} own={own} project={project === null ? null : { id: project, name }} />
      )}
    </Stack>
  );
}

const everywhere = (access: Access): Exception[] => [
  ...packModes(access, 'tenant', (pack_id) => `every command of ${pack_id}`, {}),
  ...wholeMode(access, 'member', 'your own calls', { own: true }),
  ...wholeMode(access, 'platform', 'every tenant, set by the operator', null),
  ...packModes(access, 'platform', (pack_id) => `${pack_id} in every tenant, set by the operator`, null),
];

const settingsOf = (access: Access, layer: Layer) => {
  const parsed = settingsSchema
    .pick({ mode: true, packs: true })
    .loose()
    .safeParse(access.layers.find((each) => each.layer === layer)?.settings ?? {});
  return parsed.success ? parsed.data : {};
};

function wholeMode(access: Access, layer: Layer, words: string, place: Exception['place']): Exception[] {
  const { mode } = settingsOf(access, layer);
  return mode === undefined ? [] : [{ key: layer, words, mode, place }];
}

function packModes(
  access: Access,
  layer: Layer,
  words: (pack_id: string) => string,
  place: Exception['place'],
): Exception[] {
  return Object.entries(settingsOf(access, layer).packs ?? {}).flatMap(([pack_id, { mode }]) =>
    mode === undefined
      ? []
      : [{ key: `${layer} ${pack_id}`, words: words(pack_id), mode, place: place && { ...place, pack_id } }],
  );
}

function Row({ exception, changeable }: { exception: Exception; changeable: boolean }) {
  const { words, mode, place } = exception;
  const [asking, setAsking] = useState(false);
  const remove = async (): Promise<void> => {
    await api.access.setMode({ ...place, mode: null });
    await accessChanged();
  };
  return (
    <Group justify="space-between" gap="xs" py={6}>
      <Text size="sm" component="div" className="hcp-value">
        <Badge variant="default" mr="xs">
          {mode}
        </Badge>
        for {words}
      </Text>
      {changeable && place !== null && (
        <Button
          size="xs"
          variant="default"
          onClick={() => setAsking(true)}
          aria-label={`Take away the mode for ${words}`}
        >
          Take away
        </Button>
      )}
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title="Take this mode away?"
        yes="Take it away"
        act={remove}
      >
        {MODE_MEANING[mode]} That no longer counts for {words}: from the next call on the wider mode does.
      </Ask>
    </Group>
  );
}
