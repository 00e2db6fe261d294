import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Member } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../app/api.js';
import { atField } from '../../app/field-errors.js';
import { useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { FormError } from '../../parts/form-error.js';
import { Section } from '../../parts/section.js';
import { ProjectSelect } from './project-select.js';
import { peopleChanged, ROLES, useProjectNames } from './queries.js';
import { RoleSelect } from './role-select.js';

type Assignment = Member['roles'][number];

export function RolesOf({ one }: { one: Member }) {
  const [asked, setAsked] = useState<Assignment | null>(null);
  const projectName = useProjectNames();
  const name = escapeInvisible(one.name);
  const unassign = async (): Promise<void> => {
    if (asked === null) return;
    await api.members.unassignRole(one.id, asked.id);
    await peopleChanged();
  };
  return (
    <Section title="Roles" about="A role gives several rights at once, in the whole tenant or in one project.">
      {one.roles.length === 0 ? (
        <Text c="dimmed">There is none.</Text>
      ) : (
        <ul className="hcp-list" aria-label="Roles">
          {one.roles.map((each) => {
            const where = each.project_id === null ? 'in the whole tenant' : `in ${projectName(each.project_id)}`;
            return (
              <li key={each.id} className="hcp-row">
                <Group justify="space-between" gap="sm">
                  <Text className="hcp-value">
                    {each.role}{' '}
                    <Text span size="sm" c="dimmed">
                      {where}
                    </Text>
                  </Text>
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Take away the role ${each.role} ${where}`}
                    onClick={() => setAsked(each)}
                  >
                    Take away
                  </Button>
                </Group>
              </li>
            );
          })}
        </ul>
      )}
      <Assign one={one} />
      <Ask
        opened={asked !== null}
        onClose={() => setAsked(null)}
        title={`Take the role ${asked?.role ?? ''} away?`}
        yes="Take it away"
        danger
        act={unassign}
      >
        From the next call on, {name} has only what other roles and own grants give. Runs that wait in the queue are
        decided anew.
      </Ask>
    </Section>
  );
}

function Assign({ one }: { one: Member }) {
  const me = useMe();
  const roles = useQuery(ROLES);
  const [role, setRole] = useState<string | null>(null);
  const [project_id, setProject] = useState<string | null>(null);
  const assign = useMutation({
    mutationFn: async () => {
      if (role === null) return null;
      await api.members.assignRole(one.id, { role, ...(project_id !== null && { project_id }) });
      await peopleChanged();
      setRole(null);
      setProject(null);
      return role;
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    assign.mutate();
  };
  return (
    <form onSubmit={submit} aria-label="Give a role">
      <FormError error={assign.error} fields={['/role', '/project_id']} />
      <Group gap="sm" align="flex-end">
        <RoleSelect
          me={me}
          roles={roles.data ?? []}
          project_id={project_id}
          value={role}
          onChange={setRole}
          error={atField(assign.error, '/role')}
        />
        <ProjectSelect
          label="In"
          placeholder="The whole tenant"
          value={project_id}
          onChange={setProject}
          error={atField(assign.error, '/project_id')}
        />
        <Button type="submit" variant="default" loading={assign.isPending} disabled={role === null}>
          Give the role
        </Button>
      </Group>
      {assign.isSuccess && assign.data !== null && (
        <Text size="sm" role="status" mt="xs">
          The role {assign.data} was given.
        </Text>
      )}
    </form>
  );
}
