import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { HcpError, items } from '@hcp/sdk';
import type { CommandInfo, PackDetail, PageQuery, Project } from '@hcp/contracts';
import { api } from '../../app/api.js';
import { queryClient } from '../../app/queries.js';

const PAGE = 50;

export const PACKS = infiniteQueryOptions({
  queryKey: ['packs', 'list'],
  queryFn: ({ pageParam }) => {
    const query: PageQuery = { limit: PAGE };
    if (pageParam !== '') query.cursor = pageParam;
    return api.packs.list(query);
  },
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

/** @param version with the commands of that one instead of the active one */
export const packQuery = (pack_id: string, version?: string) =>
  queryOptions({
    queryKey: ['packs', 'one', pack_id, version ?? null],
    queryFn: () => api.packs.get(pack_id, version === undefined ? {} : { version }),
  });

export const skillQuery = (pack_id: string, full: boolean) =>
  queryOptions({ queryKey: ['packs', 'skill', pack_id, full], queryFn: () => api.packs.skill(pack_id, { full }) });

export const stopQuery = (pack_id: string) =>
  queryOptions({ queryKey: ['packs', 'stop', pack_id], queryFn: () => api.packs.stopped(pack_id) });

/** What calls of its commands would get now. */
export const packCommands = (pack_id: string) =>
  queryOptions({
    queryKey: ['commands', pack_id],
    queryFn: async () => {
      const all: CommandInfo[] = [];
      for await (const each of items((query) => api.commands.list({ ...query, pack_id, limit: 200 }))) all.push(each);
      return all;
    },
  });

/** The projects that this person knows: where a pack can be active, and what they are called. */
export const PROJECTS = queryOptions({
  queryKey: ['projects', 'all'],
  queryFn: async () => {
    const all: Project[] = [];
    for await (const project of items((query) => api.projects.list({ ...query, limit: 200 }))) all.push(project);
    return all;
  },
});

/** The pack as it is installed; null where none of that name is, or none that this person may see. */
export async function installedPack(pack_id: string): Promise<PackDetail | null> {
  try {
    return await api.packs.get(pack_id);
  } catch (error) {
    if (error instanceof HcpError && error.code === 'not_found') return null;
    throw error;
  }
}

/** After a change: what is there, and with it what each command would get. */
export async function packsChanged(): Promise<void> {
  await Promise.all(['packs', 'commands', 'overview'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}
