import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { escapeInvisible } from '@hcp/core';
import { PROJECTS } from './queries.js';

export interface ProjectSelectProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | null;
  readonly error?: string | undefined;
  readonly onChange: (id: string | null) => void;
  /** Those that are not to be chosen. */
  readonly without?: readonly string[];
}

/** A project of those that this person may see; nothing where there is none. */
export function ProjectSelect({ without = [], onChange, ...field }: ProjectSelectProps) {
  const projects = useQuery(PROJECTS);
  const offered = projects.data?.filter(({ id }) => !without.includes(id)) ?? [];
  if (offered.length === 0) return null;
  return (
    <Select
      {...field}
      clearable
      searchable
      data={offered.map(({ id, name }) => ({ value: id, label: escapeInvisible(name) }))}
      onChange={onChange}
    />
  );
}
