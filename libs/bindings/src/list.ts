import type { Binding as BindingAnswer, ListBindingsQuery, Page } from '@hcp/contracts';
import { DEFAULT_PAGE_SIZE } from '@hcp/contracts';
import type { Caller, StoredFamily } from '@hcp/core';
import type { Binding, Database, Tx } from '@hcp/database';
import { stateOf } from './choose.js';
import { done, unknownThing, wrongField, type Answer } from './refusal.js';
import { noAgents, sees } from './rights.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Own bindings, and the shared ones that the caller manages, oldest first. A page may hold fewer than there is room for. */
export async function listBindings(
  db: Database,
  caller: Caller,
  { pack_id, stale, limit = DEFAULT_PAGE_SIZE, cursor }: ListBindingsQuery,
  now: Date,
): Promise<Answer<Page<BindingAnswer>>> {
  const refusal = noAgents(caller);
  if (refusal) return refusal;
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString('latin1');
  if (after !== undefined && !UUID.test(after)) return wrongField('/cursor', 'is no cursor of this list');
  const { tenant_id, principal } = caller;
  const rows = await db.tenant(tenant_id, (tx) =>
    tx.binding.findMany({
      where: {
        ...{ tenant_id, pack_id, id: { gt: after } },
        AND: [ownOrShared(principal.id), ...(stale === '1' ? [toMend(now)] : [])],
      },
      omit: { secret_enc: true },
      orderBy: { id: 'asc' },
      take: limit + 1,
    }),
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return done({
    items: page.filter((row) => sees(caller, row, now)).map((row) => bindingAnswer(row, now)),
    next_cursor: rows.length > limit && last ? Buffer.from(last.id, 'latin1').toString('base64url') : null,
  });
}

/** One of them. */
export async function getBinding(db: Database, caller: Caller, id: string, now: Date): Promise<Answer<BindingAnswer>> {
  const refusal = noAgents(caller);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const row = await db.tenant(tenant_id, (tx) =>
    tx.binding.findUnique({ where: { tenant_id_id: { tenant_id, id } }, omit: { secret_enc: true } }),
  );
  return row && sees(caller, row, now) ? done(bindingAnswer(row, now)) : unknownThing();
}

const ownOrShared = (principal_id: string) => ({ OR: [{ principal_id }, { principal_id: null }] });

/** What is good for nothing until a person connects it again. */
const toMend = (now: Date) => ({
  revoked_at: null,
  OR: [{ stale_at: { not: null } }, { expires_at: { lte: now } }],
});

/** How many of those that the caller sees a person has to connect again; null for agents, who see none. */
export async function staleBindings(tx: Tx, caller: Caller, now: Date): Promise<number | null> {
  if (noAgents(caller)) return null;
  const { tenant_id, principal } = caller;
  const rows = await tx.binding.findMany({
    where: { tenant_id, AND: [ownOrShared(principal.id), toMend(now)] },
    select: { pack_id: true, principal_id: true, project_id: true },
  });
  return rows.filter((row) => sees(caller, row, now)).length;
}

/** A binding as the API answers it: everything but the secret. */
export function bindingAnswer(row: Omit<Binding, 'secret_enc'>, now: Date): BindingAnswer {
  return {
    id: row.id,
    pack_id: row.pack_id,
    family: row.family as StoredFamily,
    kind: row.kind as BindingAnswer['kind'],
    principal_id: row.principal_id,
    project_id: row.project_id,
    fields: [...row.field_names],
    version: row.version,
    state: stateOf(row, now),
    stale_reason: row.stale_reason as BindingAnswer['stale_reason'],
    account: row.account,
    account_name: row.account_name,
    scopes: [...row.scopes],
    expires_at: row.expires_at?.toISOString() ?? null,
    token_expires_at: row.token_expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    rotated_by: row.rotated_by,
    rotated_at: row.rotated_at.toISOString(),
  };
}
