import {
  decide,
  permissiveGrants,
  type Authorization,
  type AuthorizeContext,
  type AuthorizeRequest,
  type Caller,
  type DecideRequest,
  type Decision,
  type Grant,
  type Plan,
} from '@hcp/core';
import type { AccessOptions, HostAuthorize } from './options.js';

/** Everything, fleet work included: whoever runs commands for themselves alone operates the place too. */
const EVERYTHING: readonly Grant[] = [...permissiveGrants(), { capability: 'fleet.run' }];

/** Who the pipeline sees. */
export function callerOf({
  principal = { id: 'host', kind: 'service' },
  grants = EVERYTHING,
  tenant_id = 'local',
  project_id = null,
  agent = false,
}: AccessOptions): Caller {
  const is_agent = agent || principal.kind === 'agent';
  return {
    tenant_id,
    principal: { id: principal.id, kind: principal.kind },
    name: principal.id,
    acts_for: null,
    session: {
      id: 'host',
      interactive: principal.kind === 'human' && !is_agent && principal.interactive === true,
      api_key_id: null,
      project_id,
      packs: null,
    },
    is_agent,
    authority: { layers: [grants], member_of: project_id === null ? [] : [project_id] },
    settings_epoch: 0n,
    platform: false,
  };
}

const REFUSED = { allow: false, reason: 'the host could not say whether it may' } as const satisfies Authorization;

/**
 * The pipeline with a host's authoriser in its place, which may look things up: the pipeline is asked what it would ask,
 * and then once more with the answer. Nothing but `allow: true` allows.
 */
export async function decideFor(request: DecideRequest, authorize?: HostAuthorize): Promise<Decision> {
  if (authorize === undefined) return decide(request);
  const asked: [AuthorizeContext, AuthorizeRequest][] = [];
  const first = decide({
    ...request,
    authorize: (...question) => {
      asked.push(question);
      return REFUSED;
    },
  });
  const [question] = asked;
  if (question === undefined) return first;
  const answer = await answerOf(authorize, question);
  return decide({ ...request, authorize: () => answer });
}

async function answerOf(
  authorize: HostAuthorize,
  [ctx, request]: [AuthorizeContext, AuthorizeRequest],
): Promise<Authorization> {
  try {
    // From code that a compiler may never have seen.
    const answer = (await authorize(ctx, request)) as { allow?: unknown; reason?: unknown };
    if (answer.allow === true) return { allow: true };
    return typeof answer.reason === 'string' ? { allow: false, reason: answer.reason } : REFUSED;
  } catch {
    return REFUSED;
  }
}

/** What is to be run of a decision that lets it. */
export const planOf = (decision: Decision): Plan | null =>
  decision.decision === 'deny' ? null : (decision.plan ?? null);
