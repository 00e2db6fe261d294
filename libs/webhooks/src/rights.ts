import { allows, type Caller } from '@hcp/core';
import { refuse, type WebhookRefusal } from './refusal.js';

/** `tenant.manage` over the whole tenant; never an agent, whatever was granted (SPEC A8). */
export function manageProblem(caller: Caller, now: Date): WebhookRefusal | null {
  if (caller.is_agent || caller.principal.kind === 'agent') {
    return refuse('human_only', 'agents do not manage webhooks; ask a person');
  }
  return allows(caller.authority, { capability: 'tenant.manage' }, now) ? null : missing('tenant.manage');
}

/** Whoever has an endpoint told of others' calls could read of them as well: of these packs, or of all (SPEC G5). */
export function tellProblem(caller: Caller, pack_ids: readonly string[], now: Date): WebhookRefusal | null {
  const needs = pack_ids.length === 0 ? [undefined] : pack_ids;
  const all = needs.every((pack_id) => allows(caller.authority, { capability: 'run.read', pack_id }, now));
  return all ? null : missing('run.read');
}

const missing = (capability: string): WebhookRefusal => refuse('missing_capability', `denied: missing ${capability}`);
