import type { Judgement } from '../access/settings/judge.js';
import { effectiveApprovals, type AccessLayers } from '../access/settings/layers.js';
import { demandsFor, type Demands } from '../access/settings/settings.js';
import { renderPreview } from '../argv/preview.js';
import { argumentNames, findCommand } from '../packs/lookup.js';
import type { Pack } from '../packs/pack.js';
import type { PolicyRow } from '../packs/policy.js';
import { buildView, type ViewRules } from '../views/build.js';
import { approvalOptions } from '../views/options.js';
import type { Card } from './request.js';

export interface CardCall {
  readonly pack: Pack;
  readonly verb_key: string;
  readonly row: PolicyRow;
  /** Without control words. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly judged: Judgement;
}

/**
 * @param sessions false where no session of the requester could carry a rule, so that the option is left out
 * @param views instead of the default rules
 */
export function buildCard(
  { pack, verb_key, row, args, judged }: CardCall,
  layers: AccessLayers,
  { sessions, views }: { readonly sessions: boolean; readonly views?: ViewRules | undefined },
): Card {
  const { pack_id, name, version } = pack.manifest;
  const command = findCommand(pack, verb_key);
  const properties = (command?.args?.['properties'] ?? {}) as Readonly<Record<string, { description?: unknown }>>;
  const built = buildView(pack, verb_key, args, views);
  const argument_names = command === null ? new Set<string>() : argumentNames(pack.manifest, command);
  const options = approvalOptions({ pack_id, verb_key, row, argument_names }, built, args);
  return {
    pack_id,
    pack_name: name,
    pack_version: version,
    command: verb_key,
    summary: command?.description ?? '',
    operation: row.operation,
    confirm: row.confirm,
    args: Object.entries(args).map(([name, value]) => {
      const description = Object.hasOwn(properties, name) ? properties[name]?.description : undefined;
      return { name, value, ...(typeof description === 'string' && { description }) };
    }),
    cli: renderPreview(pack, verb_key, args).cli,
    reason: judged.reason,
    reason_code: judged.reason_code,
    mode: judged.mode,
    approvals: effectiveApprovals(layers),
    view: built.view,
    options: sessions ? options : options.filter(({ kind }) => kind !== 'allow_session'),
  };
}

/** What a yes to this call takes, by the tenant's settings of this moment (SPEC V4). */
export function demandsOn({ pack, verb_key, args }: CardCall, { approving }: AccessLayers): Required<Demands> {
  const kinds = [...buildView(pack, verb_key, args).kinds];
  return demandsFor(approving, { pack_id: pack.manifest.pack_id, verb_key, kinds });
}
