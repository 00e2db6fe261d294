import { principalNames, type Approval, type ApprovalDecision, type Tx } from '@hcp/database';

/** What people call those who have to do with requests. */
export interface Names {
  /** Null of a principal that is gone. */
  principal(id: string): string | null;
  /** What the OAuth client called itself in whose session it was asked; null where there was none. */
  client(session_id: string): string | null;
}

/** Of everyone in these rows, whose tenant is one. */
export async function namesIn(
  tx: Tx,
  rows: readonly Pick<Approval, 'tenant_id' | 'principal_id' | 'acts_for' | 'session_id'>[],
  decisions: readonly Pick<ApprovalDecision, 'principal_id'>[],
): Promise<Names> {
  const [first] = rows;
  if (!first) return { principal: () => null, client: () => null };
  const { tenant_id } = first;
  const ids = [
    ...rows.flatMap((row) => [row.principal_id, row.acts_for]),
    ...decisions.map((each) => each.principal_id),
  ];
  const principal = await principalNames(tx, tenant_id, ids);
  const clients = await clientsOf(tx, tenant_id, [...new Set(rows.map(({ session_id }) => session_id))]);
  return {
    principal,
    client: (session_id) => clients.get(session_id) ?? null,
  };
}

/** A client may have opened the session of the call within its own. */
async function clientsOf(tx: Tx, tenant_id: string, session_ids: string[]): Promise<Map<string, string>> {
  const found = await tx.$queryRaw<{ asked: string; client_name: string }[]>`
    with recursive line as (
      select id as asked, parent_id, client_name from sessions
      where tenant_id = ${tenant_id}::uuid and id = any(${session_ids}::uuid[])
      union all
      select line.asked, up.parent_id, up.client_name from sessions up
      join line on up.tenant_id = ${tenant_id}::uuid and up.id = line.parent_id)
    select asked, client_name from line where client_name is not null`;
  return new Map(found.map(({ asked, client_name }) => [asked, client_name]));
}
