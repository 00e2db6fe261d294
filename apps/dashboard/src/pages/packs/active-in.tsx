import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { PackDetail } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { moment } from '../../app/format.js';
import { useWho } from '../../app/who.js';
import { Ask } from '../../parts/ask.js';
import { Activate } from './activate.js';
import { usePlaces } from './places.js';
import { packsChanged } from './queries.js';

type Activation = PackDetail['activations'][number];

/** Where which version counts, and the ways back. */
export function ActiveIn({ pack, manages }: { pack: PackDetail; manages: boolean }) {
  const { activations } = pack;
  return (
    <Stack gap="xs" component="section" aria-label="Active">
      <Title order={2} size="h4">
        Active
      </Title>
      {activations.length === 0 ? (
        <Nowhere pack={pack} manages={manages} />
      ) : (
        <Paper withBorder>
          <ul className="hcp-list">
            {activations.map((activation) => (
              <li key={activation.project_id} className="hcp-row">
                <One pack={pack} activation={activation} manages={manages} />
              </li>
            ))}
          </ul>
        </Paper>
      )}
    </Stack>
  );
}

function Nowhere({ pack: { pack_id, versions }, manages }: { pack: PackDetail; manages: boolean }) {
  const [opened, setOpened] = useState(false);
  const newest = versions[0]?.version;
  return (
    <Group justify="space-between" gap="sm">
      <Text c="dimmed">Nowhere. Its commands cannot be called until a version of it is activated.</Text>
      {manages && newest !== undefined && <Button onClick={() => setOpened(true)}>Activate {newest}</Button>}
      {opened && newest !== undefined && (
        <Activate pack_id={pack_id} version={newest} onClose={() => setOpened(false)} />
      )}
    </Group>
  );
}

interface OneProps {
  readonly pack: PackDetail;
  readonly activation: Activation;
  readonly manages: boolean;
}

function One({ pack: { pack_id, versions }, activation, manages }: OneProps) {
  const { version, project_id, activated_at, activated_by, activated_by_name } = activation;
  const who = useWho();
  const place = usePlaces()(project_id);
  const [asking, setAsking] = useState<'rollback' | 'deactivate' | null>(null);
  const scope = project_id === null ? {} : { project_id };
  const rollback = async (): Promise<void> => {
    await api.packs.rollback(pack_id, { ...scope, from_version: version });
    await packsChanged();
  };
  const deactivate = async (): Promise<void> => {
    await api.packs.deactivate(pack_id, scope);
    await packsChanged();
  };
  const close = (): void => setAsking(null);
  return (
    <Group justify="space-between" gap="sm">
      <div>
        <Text>
          <Text span fw={600}>
            {version}
          </Text>{' '}
          in {place}
        </Text>
        <Text size="sm" c="dimmed">
          since {moment(activated_at)}
          {activated_by !== null && `, by ${who(activated_by, activated_by_name, 'human')}`}
        </Text>
      </div>
      {manages && (
        <Group gap="xs">
          {versions.length > 1 && (
            <Button size="xs" variant="default" onClick={() => setAsking('rollback')}>
              Roll back
            </Button>
          )}
          <Button size="xs" variant="default" onClick={() => setAsking('deactivate')}>
            Deactivate
          </Button>
        </Group>
      )}
      <Ask
        opened={asking === 'rollback'}
        onClose={close}
        title={`Roll back ${pack_id} in ${place}?`}
        yes="Roll back"
        act={rollback}
      >
        The version that was active there before {version} is active again, from the next call on. {version} stays
        installed. Doing it twice leads back here.
      </Ask>
      <Ask
        opened={asking === 'deactivate'}
        onClose={close}
        title={`Deactivate ${pack_id} in ${place}?`}
        yes="Deactivate"
        danger
        act={deactivate}
      >
        {project_id === null
          ? 'No new run of it starts but in projects with an activation of their own, and runs that wait are refused.'
          : 'In this project the version of the whole tenant counts again, where there is one; else no new run of it starts, and runs that wait are refused.'}{' '}
        Its versions stay installed.
      </Ask>
    </Group>
  );
}
