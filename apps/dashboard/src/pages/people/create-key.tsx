import { Button, Checkbox, Group, Paper, Select, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useAct } from '../../app/act.js';
import { api } from '../../app/api.js';
import { atField } from '../../app/field-errors.js';
import { FormError } from '../../parts/form-error.js';
import { GrantsEditor, grantsFrom, NO_GRANTS } from './grants-editor.js';
import { ProjectSelect } from './project-select.js';
import { peopleChanged } from './queries.js';

const DAY_MS = 24 * 3_600_000;
const LIVES = [
  { value: '30', label: 'in 30 days' },
  { value: '90', label: 'in 90 days' },
  { value: '365', label: 'in a year' },
  { value: 'never', label: 'never' },
] as const;

export const endsIn = (days: string): string | undefined =>
  days === 'never' ? undefined : new Date(Date.now() + Number(days) * DAY_MS).toISOString();

export function KeyLife({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (days: string) => void;
  error?: string | undefined;
}) {
  return (
    <Select
      label="The key ends"
      allowDeselect={false}
      data={LIVES}
      value={value}
      error={error}
      onChange={(days) => days !== null && onChange(days)}
    />
  );
}

export interface CreateKeyProps {
  readonly principal_id: string;
  readonly onClose: () => void;
  readonly onMade: (key: string) => void;
}

/** A key, as wide as its owner or narrower. Its secret goes to `onMade` and nowhere else. */
export function CreateKey({ principal_id, onClose, onMade }: CreateKeyProps) {
  const [name, setName] = useState('');
  const [life, setLife] = useState('90');
  const [project_id, setProject] = useState<string | null>(null);
  const [narrow, setNarrow] = useState(false);
  const [grants, setGrants] = useState(NO_GRANTS);
  const create = useAct(async () => {
    const expires_at = endsIn(life);
    const { key } = await api.apiKeys.create({
      name,
      principal_id,
      ...(expires_at !== undefined && { expires_at }),
      ...(project_id !== null && { project_id }),
      ...(narrow && { grants: grantsFrom(grants) }),
    });
    await peopleChanged();
    onMade(key);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.run();
  };
  return (
    <Paper withBorder p="md">
      <form onSubmit={submit} aria-label="New key">
        <Stack gap="sm">
          <FormError
            error={create.error}
            fields={['/name', '/expires_at', '/project_id', ...(narrow ? ['/grants'] : [])]}
          />
          <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
            <TextInput
              label="Name of the key"
              placeholder="Where it is used"
              required
              autoFocus
              maxLength={100}
              value={name}
              error={atField(create.error, '/name')}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
            />
            <KeyLife value={life} onChange={setLife} error={atField(create.error, '/expires_at')} />
            <ProjectSelect
              label="Only in the project"
              placeholder="Any"
              value={project_id}
              onChange={setProject}
              error={atField(create.error, '/project_id')}
            />
          </Group>
          <Checkbox
            label="It may do less than its owner"
            checked={narrow}
            onChange={({ currentTarget }) => setNarrow(currentTarget.checked)}
          />
          {narrow && <GrantsEditor draft={grants} onChange={setGrants} error={create.error} />}
          <Group gap="sm">
            <Button type="submit" loading={create.busy} disabled={narrow && grantsFrom(grants).length === 0}>
              Create the key
            </Button>
            <Button variant="default" onClick={onClose}>
              Leave it
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
