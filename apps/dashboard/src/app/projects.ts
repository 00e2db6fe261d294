import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { items } from '@hcp/sdk';
import type { Project } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { api } from './api.js';
import { shortId } from './format.js';
import { queryClient } from './queries.js';

export const projectPages = infiniteQueryOptions({
  queryKey: ['projects', 'pages'],
  queryFn: ({ pageParam }) => api.projects.list({ limit: 50, ...(pageParam !== '' && { cursor: pageParam }) }),
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

/** Every project that this person sees, to choose from. */
export const PROJECTS = queryOptions({
  queryKey: ['projects', 'all'],
  queryFn: async () => {
    const all: Project[] = [];
    for await (const project of items((query) => api.projects.list({ ...query, limit: 200 }))) all.push(project);
    return all;
  },
});

export const projectOf = (id: string) =>
  queryOptions({ queryKey: ['project', id], queryFn: () => api.projects.get(id) });

export async function projectsChanged(): Promise<void> {
  await Promise.all(['projects', 'project'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}

/** The name of a project; the end of its id where this person does not see it. */
export function useProjectName(): (id: string) => string {
  const projects = useQuery(PROJECTS);
  return (id) => {
    const found = projects.data?.find((project) => project.id === id);
    return found ? escapeInvisible(found.name) : `project …${shortId(id)}`;
  };
}

/** For a `Select`. */
export const projectChoices = (projects: readonly Project[] | undefined): { value: string; label: string }[] =>
  (projects ?? []).map(({ id, name }) => ({ value: id, label: escapeInvisible(name) }));
