import type { Access, UpdateAccessSettings } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { auditAccess, bumpEpoch } from './changes.js';
import { describeIn } from './describe.js';
import type { AccessDeps } from './ports.js';
import { done, type Answer } from './refusal.js';
import { manageProblem } from './rights.js';
import { changeSettings } from './scope.js';

/** Changes how the tenant approves (SPEC A5, V3, V4); what is left out stays, null takes away. */
export async function updateSettings(
  deps: AccessDeps,
  caller: Caller,
  input: UpdateAccessSettings,
  now: Date,
): Promise<Answer<Access>> {
  const refusal = manageProblem(caller, {}, now);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return deps.db.tenant(tenant_id, async (tx): Promise<Answer<Access>> => {
    await bumpEpoch(tx, tenant_id);
    await changeSettings(tx, caller, { scope: 'tenant' }, (present) => {
      const merged = Object.entries({ ...present, ...input });
      return Object.fromEntries(merged.filter(([, value]) => value !== null));
    });
    const { narrower, ...facts } = input;
    const details = {
      ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
      ...(narrower === null && { narrower }),
      ...(narrower && { narrower: Object.values(narrower).flatMap((part) => Object.keys(part ?? {})) }),
    };
    await auditAccess(tx, caller, { action: 'access.settings', subject: `tenant:${tenant_id}`, details });
    return done(await describeIn(deps, tx, caller, caller.session.project_id));
  });
}
