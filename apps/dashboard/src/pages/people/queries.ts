import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Invitation } from '@hcp/contracts';
import { type Capability, escapeInvisible } from '@hcp/core';
import { api } from '../../app/api.js';
import { shortId } from '../../app/format.js';
import { allOf, pagesOf } from '../../app/pages.js';
import { ME, queryClient } from '../../app/queries.js';

const PEOPLE = 'people';

export const peoplePages = (search: string) =>
  pagesOf([PEOPLE, 'humans', search], (query) =>
    api.members.list({ ...query, kind: 'human', ...(search !== '' && { search }) }),
  );

export const agentPages = (search: string) =>
  pagesOf([PEOPLE, 'agents', search], (query) => api.agents.list({ ...query, ...(search !== '' && { search }) }));

export const invitationPages = (state: Invitation['state'] | null) =>
  pagesOf([PEOPLE, 'invitations', state], (query) =>
    api.invitations.list({ ...query, ...(state !== null && { state }) }),
  );

export const grantPages = (principal_id: string | null, capability: Capability | null) =>
  pagesOf([PEOPLE, 'grants', principal_id, capability], (query) =>
    api.grants.list({
      ...query,
      ...(principal_id !== null && { principal_id }),
      ...(capability !== null && { capability }),
    }),
  );

export const keyPages = (principal_id: string) =>
  pagesOf([PEOPLE, 'keys', principal_id], (query) => api.apiKeys.list({ ...query, principal_id }));

export const member = (id: string) =>
  queryOptions({ queryKey: [PEOPLE, 'one', id], queryFn: () => api.members.get(id) });

export const grantsOf = (principal_id: string) =>
  queryOptions({
    queryKey: [PEOPLE, 'grants-of', principal_id],
    queryFn: () => allOf((query) => api.grants.list({ ...query, principal_id })),
  });

export const agentsOf = (acts_for: string) =>
  queryOptions({
    queryKey: [PEOPLE, 'agents-of', acts_for],
    queryFn: () => allOf((query) => api.agents.list({ ...query, acts_for })),
  });

export const ROLES = queryOptions({
  queryKey: [PEOPLE, 'roles'],
  queryFn: () => allOf((query) => api.roles.list(query)),
});

export const PRINCIPALS = queryOptions({
  queryKey: [PEOPLE, 'principals'],
  queryFn: () => allOf((query) => api.members.list(query)),
});

export const PROJECTS = queryOptions({
  queryKey: ['projects', 'for-people'],
  queryFn: () => allOf((query) => api.projects.list(query)),
});

export const PACKS = queryOptions({
  queryKey: ['packs', 'for-people'],
  queryFn: () => allOf((query) => api.packs.list(query)),
});

export const packCommands = (pack_id: string) =>
  queryOptions({ queryKey: ['packs', 'for-people', pack_id], queryFn: () => api.packs.get(pack_id) });

/** Names of projects where this person may see them. */
export function useProjectNames(): (id: string) => string {
  const projects = useQuery(PROJECTS);
  return (id) => {
    const name = projects.data?.find((project) => project.id === id)?.name;
    return name === undefined ? `project …${shortId(id)}` : escapeInvisible(name);
  };
}

/** After a change of who may do what: everything about people, their names elsewhere, and one's own rights. */
export async function peopleChanged(): Promise<void> {
  await Promise.all(
    [[PEOPLE], ['members'], ME, ['commands']].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
  );
}
