import {
  buildCard,
  decide,
  type AccessSummary,
  type ApprovalRequest,
  type ApprovedBy,
  type Authorize,
  type Denial,
  type Pack,
  type Preview,
  type Settings,
} from '@hcp/core';
import { schemaCheck } from '@hcp/schemas';
import type { HostPack } from '../runtime.js';
import { asEnvelope } from './envelope.js';
import { callerOf } from './judge.js';
import type { AccessOptions } from './options.js';
import { checkRules, layersFor, readSettings, viewRules } from './settings.js';

export interface GateRequest extends Pick<
  AccessOptions,
  'views' | 'grants' | 'principal' | 'tenant_id' | 'project_id' | 'agent'
> {
  readonly pack: HostPack;
  readonly verb_key: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly access?: Settings;
  readonly authorize?: Authorize;
  /** The host's statement that its own UI collected a person's yes for exactly this call. */
  readonly approval?: { readonly by: 'human'; readonly id: string };
}

export type GateAnswer =
  | {
      readonly decision: 'allow';
      readonly mode: string;
      readonly approved_by: ApprovedBy;
      /** As the command gets them, without control words. */
      readonly args: Readonly<Record<string, unknown>>;
    }
  | ({
      readonly decision: 'ask';
      readonly access: AccessSummary;
      readonly preview: Preview;
      /** What to ask a person with: the same request as a result's `approval`. */
      readonly approval: ApprovalRequest;
    } & Denial)
  | ({ readonly decision: 'deny' } & Denial);

/**
 * Decides about a command that the host runs in its own way, such as from a command line that an agent wrote. Runs
 * nothing, keeps nothing (SPEC I4).
 * @throws HcpError `invalid_request` for settings that are malformed, by field
 */
export function gateCommand(request: GateRequest): GateAnswer {
  const settings = readSettings(request.access ?? {});
  const pack: Pack = { ...request.pack, skill: request.pack.skill ?? null, digest: request.pack.digest ?? '' };
  const { pack_id } = pack.manifest;
  checkRules(settings, (id) => (id === pack_id ? pack : null));
  const parsed = asEnvelope({
    pack_id,
    verb_key: request.verb_key,
    args: request.args ?? {},
    ...(request.approval && { approval: request.approval }),
  });
  if (!parsed.ok) return { decision: 'deny', ...parsed.denial };
  const views = viewRules(request.views);
  const access = layersFor(settings);
  const decision = decide({
    envelope: parsed.envelope,
    caller: callerOf(request),
    facts: { known: true, active: true, pack },
    project_id: null,
    check: schemaCheck,
    access,
    now: new Date(),
    authorize: request.authorize,
    views,
    host_attests: true,
  });
  switch (decision.decision) {
    case 'allow': {
      const { mode, approved_by, args } = decision.plan;
      return { decision: 'allow', mode, approved_by: approved_by as ApprovedBy, args };
    }
    case 'ask': {
      const { plan, access: summary, preview, denial } = decision;
      if (!plan || !summary || !preview) return { decision: 'deny', ...denial };
      const approval = buildCard(plan, access, { sessions: true, views });
      return { decision: 'ask', ...denial, access: summary, preview, approval };
    }
    case 'deny':
      return { decision: 'deny', ...decision.denial };
  }
}
