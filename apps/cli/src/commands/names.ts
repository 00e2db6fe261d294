import type { Page, PageQuery } from '@hcp/contracts';
import { HcpError, items } from '@hcp/sdk';
import { type Failure, usage } from '../failure.js';
import type { Client } from './group.js';

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Named {
  readonly id: string;
  readonly name: string;
  readonly email?: string | undefined;
}

/** The id of a project named by id, or by a name that only one has. `what` is the option or word as the person knows it. */
export const projectId = async (hcp: Client, text: string, what = '--project'): Promise<string> =>
  ID.test(text)
    ? text
    : one(await named((query) => hcp.api.projects.list(query), text), what, 'project', 'hcpx projects list');

export const optionalProject = async (hcp: Client, text: string | undefined): Promise<string | undefined> =>
  text === undefined ? undefined : projectId(hcp, text);

/** The id of a person, agent or service named by id, name or email. */
export async function principalId(hcp: Client, text: string, what: string): Promise<string> {
  if (ID.test(text)) return text;
  // Who may not list the members may still know the agents.
  const found = await named((query) => hcp.api.members.list(query), text).catch((error: unknown) => {
    if (error instanceof HcpError && error.status === 403) return named((query) => hcp.api.agents.list(query), text);
    throw error;
  });
  return one(found, what, 'principal', 'hcpx agents list (or members list)');
}

async function named(list: (query: PageQuery) => Promise<Page<Named>>, text: string): Promise<Named[]> {
  const found: Named[] = [];
  for await (const each of items(list)) if (each.name === text || each.email === text) found.push(each);
  return found;
}

function one(found: readonly Named[], what: string, kind: string, where: string): string {
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only.id;
  throw more.length > 0
    ? ambiguous(found, what, kind)
    : usage(`${what}: no ${kind} of this name`, `Give a name or an id from ${where}.`);
}

const ambiguous = (found: readonly Named[], what: string, kind: string): Failure =>
  usage(`${what}: more than one ${kind} has this name`, `Give the id: ${found.map(({ id }) => id).join(', ')}.`);
