import type { LinkIdentity } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { Database } from '@hcp/database';
import { done, refuse, unknownThing, type Outcome } from '../outcome.js';
import { recordRightsChange } from '../rights/changes.js';
import { grantsHeldBy } from '../rights/held.js';
import { may, missing, refuseUnless, refuseWider } from '../rights/rights.js';

/**
 * Says which principal a subject is. Its tokens then do all that the principal may, so the rules are those of keys: for
 * oneself, or for an agent or service that holds no more than the caller; never for another person. Later the tokens do
 * no more than who linked them may at that moment (SPEC G5).
 */
export async function linkIdentity(
  db: Database,
  caller: Caller,
  issuer_id: string,
  input: LinkIdentity,
): Promise<Outcome<null>> {
  const { tenant_id, principal, session } = caller;
  const { subject, principal_id = principal.id } = input;
  const for_other = principal_id !== principal.id;
  const refusal =
    refuseUnless(caller, 'tenant.manage') ??
    (for_other && !may(caller, 'access.manage') ? missing('access.manage') : null);
  if (refusal) return refusal;
  // The link outlives the key.
  if (session.api_key_id !== null) return refuse('forbidden', 'not by an API key; sign in for it');
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const issuer = await tx.oidcIssuer.findUnique({ where: { tenant_id_id: { tenant_id, id: issuer_id } } });
    const owner = await tx.principal.findUnique({ where: { tenant_id_id: { tenant_id, id: principal_id } } });
    if (!issuer || !owner) return unknownThing();
    if (for_other && owner.kind === 'human') {
      return refuse('forbidden', 'a person is linked by that person alone');
    }
    if (owner.kind !== issuer.kind) {
      return refuse('invalid_request', 'is of another kind than the subjects of the issuer', { path: '/principal_id' });
    }
    const wider = refuseWider(caller, await grantsHeldBy(tx, tenant_id, principal_id), '/principal_id');
    if (wider) return wider;
    const { count } = await tx.externalIdentity.createMany({
      data: [{ tenant_id, issuer_id, subject, principal_id, linked_by: for_other ? principal.id : null }],
      skipDuplicates: true,
    });
    if (count === 0) return refuse('conflict', 'the subject is somebody already', { path: '/subject' });
    const details = { issuer_id };
    await recordRightsChange(tx, caller, { action: 'identity.link', subject: `principal:${principal_id}`, details });
    return done(null);
  });
}
