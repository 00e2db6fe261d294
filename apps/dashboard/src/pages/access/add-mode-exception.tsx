import { Button, Group, Select } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type Mode, MODES } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../app/api.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Said } from '../../parts/said.js';
import { COMMANDS } from '../commands/queries.js';
import { accessChanged } from './queries.js';

const OWN = 'own';
const WHOLE = 'project';

interface AddModeExceptionProps {
  readonly manages: boolean;
  /** Whether people have settings of their own here. */
  readonly own: boolean;
  readonly project: { readonly id: string; readonly name: string } | null;
}

/** Another mode for a pack, for the project that is looked at, or for oneself. */
export function AddModeException({ manages, own, project }: AddModeExceptionProps) {
  const commands = useQuery(COMMANDS);
  const packs = [...new Set(commands.data?.map(({ pack_id }) => pack_id))];
  const [target, setTarget] = useState<string | null>(null);
  const [mode, setMode] = useState<Mode>('manual');
  const add = useMutation({
    mutationFn: async (chosen: string) => {
      const place = project === null ? {} : { project_id: project.id };
      if (chosen === OWN) await api.access.setMode({ mode, own: true });
      else if (chosen === WHOLE) await api.access.setMode({ mode, ...place });
      else await api.access.setMode({ mode, ...place, pack_id: chosen });
      await accessChanged();
    },
    onSuccess: () => setTarget(null),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (target !== null) add.mutate(target);
  };
  const where = project === null ? '' : ` in ${project.name}`;
  return (
    <form onSubmit={submit} aria-label="Another mode">
      <Group gap="sm" align="flex-end">
        <Select
          label="Another mode for"
          placeholder="Choose"
          searchable
          w={220}
          data={[
            ...(own ? [{ value: OWN, label: 'Your own calls' }] : []),
            ...(manages && project !== null ? [{ value: WHOLE, label: `Everything${where}` }] : []),
            ...(manages ? packs.map((pack_id) => ({ value: pack_id, label: `${pack_id}${where}` })) : []),
          ]}
          value={target}
          onChange={setTarget}
        />
        <Select
          label="Its mode"
          allowDeselect={false}
          w={130}
          data={[...MODES]}
          value={mode}
          onChange={(value) => value && setMode(value)}
        />
        <Button type="submit" variant="default" disabled={target === null} loading={add.isPending}>
          Set
        </Button>
      </Group>
      {add.isError && <ErrorBox error={add.error} />}
      {add.isSuccess && <Said>The mode is set. It counts from the next call on.</Said>}
    </form>
  );
}
