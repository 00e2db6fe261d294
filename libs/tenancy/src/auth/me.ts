import type { Caller } from '@hcp/core';
import type { Database, Tx } from '@hcp/database';

export interface CallerDescription {
  readonly tenant: { readonly id: string; readonly name: string; readonly slug: string };
  /** Null: the key never expires. */
  readonly expires_at: Date | null;
  /** Names of the roles assigned to the principal, in the tenant or a project. */
  readonly roles: readonly string[];
  /** What a person signs in with; only where they signed in themselves, never to what acts in their name. */
  readonly email: string | null;
}

/** What `GET /v1/me` tells besides the caller itself. */
export async function describeCaller(db: Database, caller: Caller): Promise<CallerDescription> {
  const { tenant_id, principal, session } = caller;
  return db.tenant(tenant_id, async (tx) => {
    const tenant = await tx.tenant.findUniqueOrThrow({
      where: { id: tenant_id },
      select: { id: true, name: true, slug: true },
    });
    const where = { tenant_id_id: { tenant_id, id: session.id } };
    const select = { expires_at: true } as const;
    const ends =
      session.id === session.api_key_id
        ? await tx.apiKey.findUnique({ where, select })
        : await tx.session.findUnique({ where, select });
    const assigned = await tx.roleAssignment.findMany({
      where: { tenant_id, principal_id: principal.id },
      select: { role: true },
    });
    return {
      tenant,
      expires_at: ends?.expires_at ?? null,
      email: session.interactive && !caller.is_agent ? await emailOf(tx, caller) : null,
      roles: [...new Set(assigned.map(({ role }) => role))].sort(),
    };
  });
}

async function emailOf(tx: Tx, { tenant_id, principal }: Caller): Promise<string | null> {
  const where = { tenant_id_id: { tenant_id, id: principal.id } };
  const row = await tx.principal.findUnique({ where, select: { user_id: true } });
  const id = row?.user_id ?? null;
  const user = id === null ? null : await tx.user.findUnique({ where: { id }, select: { email: true } });
  return user?.email ?? null;
}
