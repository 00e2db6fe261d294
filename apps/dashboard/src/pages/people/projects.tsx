import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Member } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../app/api.js';
import { Ask } from '../../parts/ask.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Section } from '../../parts/section.js';
import { ProjectSelect } from './project-select.js';
import { peopleChanged, PROJECTS, useProjectNames } from './queries.js';

/** The projects that a principal is a member of. */
export function Projects({ one }: { one: Member }) {
  const projectName = useProjectNames();
  const [asked, setAsked] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const add = useMutation({
    mutationFn: async () => {
      if (chosen === null) return;
      await api.projects.addMember(chosen, one.id);
      await peopleChanged();
      setChosen(null);
    },
  });
  const remove = async (): Promise<void> => {
    if (asked === null) return;
    await api.projects.removeMember(asked, one.id);
    await peopleChanged();
  };
  const more = useQuery(PROJECTS).data?.some(({ id }) => !one.projects.includes(id)) ?? false;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <Section title="Projects" about="Members work in a project’s workspace, as far as their rights go.">
      {one.projects.length === 0 ? (
        <Text c="dimmed">A member of none.</Text>
      ) : (
        <ul className="hcp-list" aria-label="Projects">
          {one.projects.map((id) => (
            <li key={id} className="hcp-row">
              <Group justify="space-between" gap="sm">
                <Text className="hcp-value">{projectName(id)}</Text>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Remove from ${projectName(id)}`}
                  onClick={() => setAsked(id)}
                >
                  Remove
                </Button>
              </Group>
            </li>
          ))}
        </ul>
      )}
      {add.isError && <ErrorBox error={add.error} />}
      {more && (
        <form onSubmit={submit} aria-label="Add to a project">
          <Group gap="sm" align="flex-end">
            <ProjectSelect
              label="Add to the project"
              placeholder="Choose one"
              value={chosen}
              without={one.projects}
              onChange={setChosen}
            />
            {chosen !== null && (
              <Button type="submit" variant="default" loading={add.isPending}>
                Add
              </Button>
            )}
          </Group>
        </form>
      )}
      <Ask
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title="Remove from this project?"
        yes="Remove"
        danger
        act={remove}
      >
        From the next call on, {escapeInvisible(one.name)} can no longer work in{' '}
        {asked === null ? 'it' : projectName(asked)}. Roles and grants for the project stay.
      </Ask>
    </Section>
  );
}
