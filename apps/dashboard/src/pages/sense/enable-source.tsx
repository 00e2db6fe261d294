import { Alert, Button, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { SENSE_EVERY_S } from '@hcp/contracts';
import { type FormEvent, useState } from 'react';
import { api } from '../../app/api.js';
import { atField } from '../../app/field-errors.js';
import { projectChoices, PROJECTS } from '../../app/projects.js';
import { FormError } from '../../parts/form-error.js';
import { Loaded } from '../../parts/loading.js';
import { senseChanged, SOURCE_PACKS } from './queries.js';

const MINUTE_S = 60;

/** Has a pack looked at, on the rights of the person who says so. */
export function EnableSource() {
  const packs = useQuery(SOURCE_PACKS);
  return (
    <Loaded query={packs}>
      {(found) =>
        found.length === 0 ? (
          <Text c="dimmed">
            No active pack is a source. One of the kind sense_only is turned on here once it is installed.
          </Text>
        ) : (
          <Form pack_ids={found.map(({ pack_id }) => pack_id)} />
        )
      }
    </Loaded>
  );
}

function Form({ pack_ids }: { pack_ids: readonly string[] }) {
  const projects = useQuery(PROJECTS);
  const [pack_id, setPack] = useState<string | null>(pack_ids.length === 1 ? (pack_ids[0] ?? null) : null);
  const [project_id, setProject] = useState<string | null>(null);
  const [minutes, setMinutes] = useState<number | string>(SENSE_EVERY_S.fallback / MINUTE_S);
  const enable = useMutation({
    mutationFn: (pack: string) =>
      api.sense.setSource(pack, {
        enabled: true,
        every_s: Math.round(Number(minutes) * MINUTE_S),
        ...(project_id !== null && { project_id }),
      }),
    onSuccess: senseChanged,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (pack_id !== null) enable.mutate(pack_id);
  };
  return (
    <form onSubmit={submit} aria-label="Turn on a source">
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <Select
            label="Pack"
            placeholder="Choose a source"
            required
            allowDeselect={false}
            data={[...pack_ids]}
            value={pack_id}
            onChange={(value) => (setPack(value), enable.reset())}
          />
          <Select
            label="Project"
            placeholder="None"
            clearable
            data={projectChoices(projects.data)}
            value={project_id}
            onChange={(value) => (setProject(value), enable.reset())}
          />
          <NumberInput
            label="Minutes between two looks"
            required
            min={SENSE_EVERY_S.min / MINUTE_S}
            max={SENSE_EVERY_S.max / MINUTE_S}
            w={210}
            value={minutes}
            onChange={setMinutes}
            error={atField(enable.error, '/every_s')}
          />
          <Button type="submit" disabled={pack_id === null} loading={enable.isPending}>
            Turn on
          </Button>
        </Group>
        <FormError error={enable.error} fields={['/every_s']} title="Not turned on" />
        {enable.isSuccess && (
          <Alert color="green" variant="light" role="status">
            {enable.data.pack_id} is looked at from now on.
          </Alert>
        )}
      </Stack>
    </form>
  );
}
