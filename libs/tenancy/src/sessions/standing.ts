import type { Caller } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { buildCaller } from '../caller/build.js';
import { readCallerFacts } from '../caller/facts.js';

/** A session has an end; this one ends with its key, its person, or by hand. */
const STANDING_MS = 10 * 365 * 24 * 3600_000;

/**
 * Opens a session for what goes on by itself after its call: on the rights of the caller's person or service at each
 * moment, narrowed to one pack and one project. It hangs on the key of the call, and on whoever linked an external token,
 * but outlives a sign-in. No bearer leads to it but that key.
 * @returns who comes with it; null where that is nobody
 */
export async function openStanding(
  tx: Tx,
  caller: Caller,
  { pack_id, project_id }: { readonly pack_id: string; readonly project_id: string | null },
): Promise<Caller | null> {
  const { tenant_id, principal, session } = caller;
  const only = session.project_id;
  if (only !== null && only !== project_id) return null;
  if (session.packs !== null && !session.packs.includes(pack_id)) return null;
  const facts = await readCallerFacts(tx, tenant_id, session.id);
  const linkers = [...new Set(facts.sessions.map(({ linked_by }) => linked_by).filter((id) => id !== null))];
  if (linkers.length > 1) return null;
  const id = uuidv7();
  await tx.session.create({
    data: {
      tenant_id,
      id,
      principal_id: principal.id,
      kind: 'standing',
      interactive: false,
      api_key_id: session.api_key_id,
      linked_by: linkers[0] ?? null,
      project_id,
      packs: [pack_id],
      narrows_packs: true,
      expires_at: new Date(Date.now() + STANDING_MS),
    },
  });
  const built = buildCaller(await readCallerFacts(tx, tenant_id, id), { tenant_id, session_id: id, agent: false });
  return built.ok ? built.caller : null;
}

/** Ends a standing session, whoever's it is: who may turn off what runs on it is the caller's to know. */
export async function endStanding(tx: Tx, tenant_id: string, id: string): Promise<void> {
  await tx.session.updateMany({
    where: { tenant_id, id, kind: 'standing', revoked_at: null },
    data: { revoked_at: new Date() },
  });
}
