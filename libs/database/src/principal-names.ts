import type { Tx } from './database.js';

/** What a principal is called; null of one that is gone, and where there is none. */
export type NameOf = (id: string | null) => string | null;

/** The names of these principals of one tenant, for things that tell their ids already. */
export async function principalNames(tx: Tx, tenant_id: string, ids: readonly (string | null)[]): Promise<NameOf> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  if (wanted.length === 0) return () => null;
  const found = await tx.principal.findMany({
    where: { tenant_id, id: { in: wanted } },
    select: { id: true, name: true },
  });
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return (id) => (id === null ? null : (names.get(id) ?? null));
}
