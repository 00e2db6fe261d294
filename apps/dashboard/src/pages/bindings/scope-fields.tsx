import { Radio, Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { projectChoices, PROJECTS } from '../../app/projects.js';
import { may, useMe } from '../../app/session.js';

export interface Scope {
  readonly project_id: string | null;
  readonly shared: boolean;
}

interface ScopeFieldsProps {
  readonly scope: Scope;
  readonly onChange: (scope: Scope) => void;
  /** It can be nobody's own. */
  readonly forced: boolean;
}

/** Whose it is, and where it serves. */
export function ScopeFields({ scope, onChange, forced }: ScopeFieldsProps) {
  const me = useMe();
  const projects = useQuery(PROJECTS);
  const { project_id, shared } = scope;
  return (
    <Stack gap="sm">
      {!forced && may(me, 'binding.manage') && may(me, 'pack.connect') && (
        <Radio.Group
          label="For"
          value={shared ? 'shared' : 'own'}
          onChange={(value) => onChange({ ...scope, shared: value === 'shared' })}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="own" label="Me" description="My commands, and those of agents that act for me." />
            <Radio
              value="shared"
              label="Everyone"
              description="Everybody’s commands, where they have no credential of their own."
            />
          </Stack>
        </Radio.Group>
      )}
      {projects.data && projects.data.length > 0 && (
        <Select
          label="Project"
          placeholder="Everywhere"
          description="The only project that it serves; left empty, it serves the whole tenant."
          clearable
          searchable
          data={projectChoices(projects.data)}
          value={project_id}
          onChange={(value) => onChange({ ...scope, project_id: value })}
        />
      )}
    </Stack>
  );
}
