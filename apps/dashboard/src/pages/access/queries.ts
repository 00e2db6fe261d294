import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { AccessTest, ExecRequest } from '@hcp/contracts';
import { api } from '../../app/api.js';
import { askIn } from '../../app/in-project.js';
import { queryClient } from '../../app/queries.js';

const within = (project_id: string | null) => (project_id === null ? {} : { project_id });

/** What is in force for this person, in a project or outside of any. */
export const accessIn = (project_id: string | null) =>
  queryOptions({
    queryKey: ['access', 'effective', project_id],
    queryFn: () => api.access.get(within(project_id)),
  });

/** The rules that can decide about this person's calls; of a project, also what counts everywhere. */
export const rulesIn = (project_id: string | null) =>
  infiniteQueryOptions({
    queryKey: ['access', 'rules', project_id],
    queryFn: ({ pageParam }) =>
      api.access.rules({ ...within(project_id), limit: 50, ...(pageParam !== '' && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** After a change: what is in force, and with it what each command would get. */
export async function accessChanged(): Promise<void> {
  await Promise.all(['access', 'commands'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}

/** What a call would get. */
export const testIn = (project_id: string | null, call: ExecRequest): Promise<AccessTest> =>
  askIn(project_id, ({ api }) => api.access.test(call));
