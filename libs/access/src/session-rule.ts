import type { Caller, Rule } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { auditAccess, bumpEpoch, ruleFacts } from './changes.js';
import { packOfMatch } from './rights.js';
import { plainRule } from './rule-records.js';

/**
 * The rule that "for this session" stands for on a card (SPEC C4): it ends with the session and with another version of
 * the pack. Whoever calls has checked that the people who approved may.
 * @param caller who chose it
 */
export async function addSessionRule(
  tx: Tx,
  caller: Caller,
  { session_id, rule, pack_digest }: { session_id: string; rule: Rule; pack_digest: string },
): Promise<void> {
  const { tenant_id, principal } = caller;
  await bumpEpoch(tx, tenant_id);
  const id = uuidv7();
  await tx.accessRule.create({
    data: {
      tenant_id,
      id,
      scope: 'session',
      session_id,
      rule: plainRule(rule),
      pack_digest,
      created_by: principal.id,
    },
    select: { id: true },
  });
  await auditAccess(tx, caller, {
    action: 'access.rule_create',
    subject: `rule:${id}`,
    pack_id: packOfMatch(rule.match),
    details: { scope: 'session', session_id, ...ruleFacts(rule) },
  });
}
