import type { Binding, Page, PageQuery } from '@hcp/contracts';
import { PACK_ID } from '@hcp/core';
import { HcpError, items } from '@hcp/sdk';
import { Failure, usage } from '../failure.js';
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

/** The id of an API key that counts, named by id or by a name that only one has. */
export async function keyId(hcp: Client, text: string, what: string): Promise<string> {
  if (ID.test(text)) return text;
  const found = await matching(
    (query) => hcp.api.apiKeys.list(query),
    ({ name, revoked_at }) => name === text && revoked_at === null,
  );
  return one(found, what, 'API key', 'hcpx keys list');
}

/** The id of a tenant named by id or slug, or by a name that only one has. */
export async function tenantId(hcp: Client, text: string): Promise<string> {
  if (ID.test(text)) return text;
  const found = await matching(
    (query) => hcp.api.tenants.list(query),
    ({ slug, name }) => slug === text || name === text,
  );
  // A slug is one tenant's alone; another may have it as its name.
  return found.find(({ slug }) => slug === text)?.id ?? one(found, 'the tenant', 'tenant', 'hcpx tenants list');
}

/** A binding named by id, or by the pack that has only one that counts. */
export async function bindingOf(hcp: Client, text: string): Promise<Binding> {
  const by_id = ID.test(text);
  if (!by_id && !PACK_ID.test(text))
    throw usage('that names no binding', 'Give an id from hcpx bindings list, or a pack.');
  const found = await matching(
    (query) => hcp.api.bindings.list(by_id ? query : { ...query, pack_id: text }),
    ({ id, state }) => (by_id ? id === text.toLowerCase() : state !== 'revoked'),
  );
  const [only, ...more] = found;
  if (only === undefined) {
    throw new Failure('no such binding, or not yours to see', 'hcpx bindings list shows them.');
  }
  if (more.length === 0) return only;
  throw usage('the pack has more than one binding', `Give the id: ${found.map(({ id }) => id).join(', ')}.`);
}

async function named(list: (query: PageQuery) => Promise<Page<Named>>, text: string): Promise<Named[]> {
  return matching(list, ({ name, email }) => name === text || email === text);
}

async function matching<T>(list: (query: PageQuery) => Promise<Page<T>>, fits: (item: T) => boolean): Promise<T[]> {
  const found: T[] = [];
  for await (const each of items(list)) if (fits(each)) found.push(each);
  return found;
}

function one(found: readonly { readonly id: string }[], what: string, kind: string, where: string): string {
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only.id;
  throw more.length > 0
    ? ambiguous(found, what, kind)
    : usage(`${what}: no ${kind} of this name`, `Give a name or an id from ${where}.`);
}

const ambiguous = (found: readonly { readonly id: string }[], what: string, kind: string): Failure =>
  usage(`${what}: more than one ${kind} has this name`, `Give the id: ${found.map(({ id }) => id).join(', ')}.`);
