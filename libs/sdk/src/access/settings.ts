import {
  checkRule,
  DEFAULT_ACCESS,
  DEFAULT_SIGNAL_RULES,
  DEFAULT_VIEW_RULES,
  layerOf,
  parseMatch,
  settingsSchema,
  type AccessLayers,
  type Approvals,
  type Mode,
  type Pack,
  type Settings,
  type ViewRules,
} from '@hcp/core';
import { HcpError } from '../errors.js';
import type { AccessOptions } from './options.js';

/**
 * A settings document as it may be applied.
 * @throws HcpError `invalid_request` that names the first field that is wrong, such as `access.rules.0.match`
 */
export function readSettings(value: unknown): Settings {
  const parsed = settingsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrong(['access', ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not valid');
}

/**
 * Rules of packs that are there may name only commands and arguments that these have (SPEC A3). Of a pack that is not
 * there nothing can be told.
 * @throws HcpError as `readSettings` does
 */
export function checkRules(settings: Settings, packOf: (pack_id: string) => Pack | null): void {
  for (const [index, rule] of (settings.rules ?? []).entries()) {
    const match = parseMatch(rule.match);
    if (match === null || match.kind === 'all' || packOf(match.pack_id) === null) continue;
    const checked = checkRule(rule, packOf);
    const problem = checked.ok ? undefined : checked.problems[0];
    if (problem !== undefined) throw wrong(`access.rules.${String(index)}.${problem.path}`, problem.message);
  }
}

const wrong = (field: string, message: string): HcpError =>
  new HcpError({ code: 'invalid_request', status: 0, message: `${field}: ${message}` });

/** What counts besides the document: where the process and a project have a word, and what the runtime defaults to. */
export interface Surroundings {
  /** Whose yes counts where the document does not say. */
  readonly approvals?: Approvals;
  readonly project?: Settings | null;
  readonly process_mode?: Mode | null;
  /** How far the process may loosen. */
  readonly max_mode?: Mode | null;
  readonly process_approvals?: Approvals | null;
}

/** The layers that the pipeline judges by (SPEC A6). */
export function layersFor(settings: Settings, around: Surroundings = {}): AccessLayers {
  const { approvals, project = null, process_mode = null, max_mode = null, process_approvals = null } = around;
  const base = layerOf(approvals === undefined ? settings : { approvals, ...settings });
  return {
    ...DEFAULT_ACCESS,
    base,
    project: project === null ? null : layerOf(project),
    process_mode,
    max_mode,
    process_approvals,
  };
}

/** The host's rules in front of the default ones (SPEC C2). */
export function viewRules(views: AccessOptions['views']): ViewRules {
  return {
    rules: [...(views?.rules ?? []), ...DEFAULT_VIEW_RULES],
    signals: [...(views?.signals ?? []), ...DEFAULT_SIGNAL_RULES],
  };
}
