import type { ApiKey as ApiKeyAnswer, CreateApiKey, CreatedApiKey, ListApiKeysQuery } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Prisma, type ApiKey, type Database, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { parseGrants } from '../caller/build.js';
import { done, refuse, unknownThing, type Outcome, type Refusal } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { recordRightsChange } from '../rights/changes.js';
import { humanOnly, may, missing, refuseWider } from '../rights/rights.js';
import { grantsHeldBy } from '../rights/held.js';
import { grantFacts, projectExists, within } from '../rights/stored-grant.js';
import { mintSecret } from '../tokens/secrets.js';

/**
 * Mints a key, for oneself or, with `access.manage`, for an agent or a service; never for another person, whom it would
 * impersonate. Nobody mints a key wider than the call itself, in rights, project or time (SPEC G5): what another's key
 * does later is bound by its maker's rights of that moment (`buildCaller`), and what a narrow call mints stays what it is.
 */
export async function createApiKey(db: Database, caller: Caller, input: CreateApiKey): Promise<Outcome<CreatedApiKey>> {
  const { tenant_id } = caller;
  const owner_id = input.principal_id ?? caller.principal.id;
  const for_other = owner_id !== caller.principal.id;
  const refusal = humanOnly(caller) ?? (for_other && !may(caller, 'access.manage') ? missing('access.manage') : null);
  if (refusal) return refusal;
  const expires_at = input.expires_at === undefined ? null : new Date(input.expires_at);
  if (expires_at && expires_at.getTime() <= Date.now()) {
    return refuse('invalid_request', 'must be in the future', { path: '/expires_at' });
  }
  return db.tenant(tenant_id, async (tx): Promise<Outcome<CreatedApiKey>> => {
    const owner = await tx.principal.findUnique({ where: { tenant_id_id: { tenant_id, id: owner_id } } });
    if (!owner) return unknownThing();
    if (for_other && owner.kind === 'human')
      return refuse('forbidden', 'a person’s keys are made by that person alone');
    const project_id = input.project_id ?? caller.session.project_id;
    if (project_id !== null && !(await projectExists(tx, tenant_id, project_id))) return unknownThing();
    const grants = input.grants ?? (await grantsHeldBy(tx, tenant_id, owner_id));
    const stored = input.grants ?? (isNarrow(caller) ? grants : null);
    const wider =
      refuseWider(caller, within(project_id, grants), input.grants ? '/grants/*' : '') ??
      (await refuseLonger(tx, caller, expires_at));
    if (wider) return wider;
    const id = uuidv7();
    const { token, secret_hash } = mintSecret('hcp', id);
    const row = await tx.apiKey.create({
      data: {
        tenant_id,
        id,
        principal_id: owner_id,
        name: input.name,
        secret_hash,
        project_id,
        grants: stored === null ? Prisma.DbNull : (stored as object[]),
        expires_at,
        created_by: caller.principal.id,
      },
    });
    await recordRightsChange(tx, caller, {
      action: 'api_key.create',
      subject: `api_key:${id}`,
      project_id,
      details: { principal_id: owner_id, name: input.name, ...(stored ? grantFacts(stored) : {}) },
    });
    return done({ ...apiKeyAnswer({ ...row, owner_name: owner.name }), key: token });
  });
}

/** The caller's own keys, or everyone's with `access.manage`. */
export async function listApiKeys(
  db: Database,
  caller: Caller,
  query: ListApiKeysQuery,
): Promise<Outcome<PageResult<ApiKeyAnswer>>> {
  const refusal = humanOnly(caller);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const { principal_id } = query;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<PageResult<ApiKeyAnswer>>> => {
    const page = await pageById(
      query,
      ({ after, take }) =>
        tx.apiKey.findMany({
          where: { AND: [reach(caller), { tenant_id, principal_id, id: { gt: after } }] },
          orderBy: { id: 'asc' },
          take,
        }),
      (row) => row,
    );
    if (!page) return badCursor();
    const seen = await withOwners(tx, await noWider(tx, caller, page.items));
    return done({ items: seen.map(apiKeyAnswer), next_cursor: page.next_cursor });
  });
}

/** Ends a key; it fails on the next call everywhere, and the sessions opened with it too. */
export async function revokeApiKey(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const refusal = humanOnly(caller);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const found = await tx.apiKey.findFirst({ where: { tenant_id, id, ...reach(caller) } });
    const [row] = found ? await noWider(tx, caller, [found]) : [];
    if (!row) return unknownThing();
    if (row.revoked_at !== null) return done(null);
    await tx.apiKey.updateMany({ where: { tenant_id, id }, data: { revoked_at: new Date() } });
    const details = { principal_id: row.principal_id, name: row.name };
    await recordRightsChange(tx, caller, { action: 'api_key.revoke', subject: `api_key:${id}`, details });
    return done(null);
  });
}

const reach = (caller: Caller): { principal_id?: string } =>
  may(caller, 'access.manage') ? {} : { principal_id: caller.principal.id };

/** The call reaches less than its person may: by a key, or in a session narrowed to a project or to packs. */
const isNarrow = ({ session }: Caller): boolean =>
  session.api_key_id !== null || session.project_id !== null || session.packs !== null;

/** Without `access.manage`, what reaches less than its person has itself and the keys that it might mint (SPEC G5). */
async function noWider(tx: Tx, caller: Caller, rows: readonly ApiKey[]): Promise<readonly ApiKey[]> {
  if (!isNarrow(caller) || may(caller, 'access.manage')) return rows;
  const held = await grantsHeldBy(tx, caller.tenant_id, caller.principal.id);
  return rows.filter(({ id, project_id, grants }) => {
    const reached = within(project_id, grants === null ? held : parseGrants(grants));
    return id === caller.session.api_key_id || refuseWider(caller, reached, '') === null;
  });
}

/** A key that ends must not leave one behind that does not. */
async function refuseLonger(tx: Tx, caller: Caller, expires_at: Date | null): Promise<Refusal | null> {
  const { tenant_id, session } = caller;
  if (session.api_key_id === null) return null;
  const key = await tx.apiKey.findUnique({ where: { tenant_id_id: { tenant_id, id: session.api_key_id } } });
  const longer = key?.expires_at && (expires_at === null || expires_at > key.expires_at);
  return longer ? refuse('forbidden', 'must not outlive the key of this call', { path: '/expires_at' }) : null;
}

type OwnedKey = ApiKey & { readonly owner_name: string | null };

async function withOwners(tx: Tx, rows: readonly ApiKey[]): Promise<OwnedKey[]> {
  const [first] = rows;
  if (!first) return [];
  const owners = await tx.principal.findMany({
    where: { tenant_id: first.tenant_id, id: { in: rows.map(({ principal_id }) => principal_id) } },
    select: { id: true, name: true },
  });
  const names = new Map(owners.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({ ...row, owner_name: names.get(row.principal_id) ?? null }));
}

function apiKeyAnswer(row: OwnedKey): ApiKeyAnswer {
  return {
    id: row.id,
    name: row.name,
    principal_id: row.principal_id,
    principal_name: row.owner_name,
    project_id: row.project_id,
    grants:
      row.grants === null
        ? null
        : parseGrants(row.grants).map(({ verb_keys, ...grant }) => ({
            ...grant,
            ...(verb_keys ? { verb_keys: [...verb_keys] } : {}),
          })),
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
