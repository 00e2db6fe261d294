import { Button, Group, Paper, Select, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ProjectDetail } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../../app/api.js';
import { MEMBERS } from '../../../app/members.js';
import { useNames } from '../../../app/names.js';
import { projectsChanged } from '../../../app/projects.js';
import { may, useMe } from '../../../app/session.js';
import { Ask } from '../../../parts/ask.js';
import { ErrorBox } from '../../../parts/error-box.js';
import { Said } from '../../../parts/said.js';

/** Who works in the project. */
export function Members({ project }: { project: ProjectDetail }) {
  const me = useMe();
  const name = useNames();
  const manages = may(me, 'access.manage');
  const [removing, setRemoving] = useState<string | null>(null);
  const remove = async (): Promise<void> => {
    if (removing !== null) await api.projects.removeMember(project.id, removing);
    await projectsChanged();
  };
  return (
    <Paper withBorder p="lg" component="section" aria-label="Members">
      <Stack gap="sm">
        <Title order={2} size="h5">
          Members
        </Title>
        {project.members.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nobody yet. Only members run what shares this project’s files and memory.
          </Text>
        ) : (
          <ul className="hcp-list" aria-label="Members">
            {project.members.map((id) => (
              <li key={id}>
                <Group justify="space-between" py={6} wrap="nowrap">
                  <Text className="hcp-value">{name(id)}</Text>
                  {manages && (
                    <Button
                      size="xs"
                      variant="default"
                      className="hcp-fixed"
                      onClick={() => setRemoving(id)}
                      aria-label={`Remove ${name(id)}`}
                    >
                      Remove
                    </Button>
                  )}
                </Group>
              </li>
            ))}
          </ul>
        )}
        {manages && <AddMember project={project} />}
      </Stack>
      <Ask
        opened={removing !== null}
        onClose={() => setRemoving(null)}
        title="Remove this member?"
        yes="Remove"
        danger
        act={remove}
      >
        From the next call on, {removing === null ? 'they' : name(removing)} runs nothing in this project and reads none
        of its files. Roles that count in this project alone stay, and count again with the membership.
      </Ask>
    </Paper>
  );
}

function AddMember({ project }: { project: ProjectDetail }) {
  const members = useQuery(MEMBERS);
  const [chosen, setChosen] = useState<string | null>(null);
  const add = useMutation({
    mutationFn: async (id: string) => {
      await api.projects.addMember(project.id, id);
      await projectsChanged();
    },
    onSuccess: () => setChosen(null),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen !== null) add.mutate(chosen);
  };
  const free = (members.data ?? []).filter(({ id, disabled }) => !disabled && !project.members.includes(id));
  return (
    <form onSubmit={submit} aria-label="Add a member">
      <Group align="flex-end" gap="sm">
        <Select
          label="Add a member"
          placeholder={members.data && free.length === 0 ? 'Everybody is in it' : 'A person, agent or service'}
          searchable
          w={280}
          data={free.map(({ id, name, kind, email }) => ({
            value: id,
            label: escapeInvisible(kind === 'human' ? `${name}${email ? ` (${email})` : ''}` : `${name} (${kind})`),
          }))}
          value={chosen}
          onChange={setChosen}
        />
        <Button type="submit" variant="default" disabled={chosen === null} loading={add.isPending}>
          Add
        </Button>
      </Group>
      {members.isError && <ErrorBox error={members.error} retry={() => void members.refetch()} />}
      {add.isError && <ErrorBox error={add.error} />}
      {add.isSuccess && <Said>The member is added.</Said>}
    </form>
  );
}
