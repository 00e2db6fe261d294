import { Alert, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CommandInfo, Project } from '@hcp/contracts';
import { useState } from 'react';
import { projectChoices, PROJECTS } from '../../app/projects.js';
import { ErrorBox } from '../../parts/error-box.js';
import { needsProject } from './access-badge.js';
import { commandsIn } from './queries.js';

const OUTSIDE = '';

/** Where a command is called. */
export interface Place {
  readonly projects: readonly Project[];
  /** Null: outside of projects. */
  readonly project_id: string | null;
  readonly choose: (project_id: string | null) => void;
  /** What a call would get there; undefined until that is known. */
  readonly judged: CommandInfo | undefined;
  readonly error: Error | null;
}

/** Outside of projects at first; in the only project there is, of a command that needs one. */
export function usePlace(command: CommandInfo): Place {
  const projects = useQuery(PROJECTS);
  const [chosen, choose] = useState<string | null>();
  const [first, ...others] = projects.data ?? [];
  const only = needsProject(command) && others.length === 0 ? (first?.id ?? null) : null;
  const project_id = chosen === undefined ? only : chosen;
  const there = useQuery({ ...commandsIn(project_id ?? '', command.pack_id), enabled: project_id !== null });
  return {
    projects: projects.data ?? [],
    project_id,
    choose,
    judged: project_id === null ? command : there.data?.find(({ verb_key }) => verb_key === command.verb_key),
    error: projects.error ?? there.error,
  };
}

/** Nothing for a person without projects. */
export function PlaceSelect({ place, onChange }: { place: Place; onChange: () => void }) {
  const { projects, project_id, choose, error } = place;
  return (
    <>
      {projects.length > 0 && (
        <Select
          label="Project"
          allowDeselect={false}
          searchable={projects.length > 8}
          maw={420}
          data={[{ value: OUTSIDE, label: 'Outside of projects' }, ...projectChoices(projects)]}
          value={project_id ?? OUTSIDE}
          onChange={(value) => {
            choose(value === OUTSIDE ? null : value);
            onChange();
          }}
        />
      )}
      {error && <ErrorBox error={error} />}
    </>
  );
}

/** Of a command that works in a project alone, where none is chosen or another is needed. */
export function ChooseProject({ place, urgent = false }: { place: Place; urgent?: boolean }) {
  const { projects, project_id } = place;
  const words =
    projects.length === 0
      ? 'It works in a project, and you are in none. Ask somebody who manages projects to add you to one.'
      : project_id === null
        ? 'It works in a project: on what the members of the project share.'
        : 'It works in a project that you are a member of, and you are not a member of this one.';
  return (
    <Alert color={urgent ? 'red' : 'blue'} variant="light" title="Choose a project" {...(urgent && { role: 'alert' })}>
      {words}
    </Alert>
  );
}
