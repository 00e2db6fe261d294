import { z } from 'zod';
import { PACK_ID } from '../../packs/manifest.js';
import { VIEW_KINDS, VERB_KEY } from '../../packs/surface.js';
import { ruleSchema } from '../rules/rule.js';

/** SPEC A1, from strict to loose. */
export const MODES = ['manual', 'auto', 'run'] as const;
export type Mode = (typeof MODES)[number];

/** Whose yes counts (SPEC A5). */
export const APPROVALS = ['human', 'agent'] as const;
export type Approvals = (typeof APPROVALS)[number];

export const DEFAULT_MODE: Mode = 'auto';
export const DEFAULT_APPROVALS: Approvals = 'human';
/** How long a request waits for a person, in seconds (SPEC V3). */
export const DEFAULT_PENDING_TTL_S = 900;
/** Rules that one layer holds at most. */
export const MAX_RULES = 10_000;

export const looserThan = (a: Mode, b: Mode): boolean => MODES.indexOf(a) > MODES.indexOf(b);
export const strictestMode = (a: Mode, b: Mode): Mode => (looserThan(a, b) ? b : a);

/** What narrower kinds of call may ask of approvals beyond the tenant's settings (SPEC V4). */
const demandsSchema = z.strictObject({
  second_person: z.boolean().optional().describe('Nobody approves what they or their agent asked for.'),
  approvers: z.number().int().min(1).max(5).optional().describe('How many different people must say yes.'),
  reason_required: z.boolean().optional(),
});
export type Demands = z.infer<typeof demandsSchema>;

/** One layer's settings document, as the protocol writes it plus what a tenant adds. */
export const settingsSchema = z.strictObject({
  mode: z.enum(MODES).optional(),
  packs: z.record(z.string().regex(PACK_ID), z.strictObject({ mode: z.enum(MODES).optional() })).optional(),
  approvals: z.enum(APPROVALS).optional(),
  rules: z.array(ruleSchema).max(MAX_RULES).optional(),
});
export type Settings = z.infer<typeof settingsSchema>;

const commandName = z.string().refine((name) => {
  const dot = name.indexOf('.');
  return PACK_ID.test(name.slice(0, Math.max(dot, 0))) && VERB_KEY.test(name.slice(dot + 1));
}, 'must be pack.verb');

/** The tenant's own settings: what the layer document has, and how approvals work (SPEC V3, V4). */
export const tenantSettingsSchema = settingsSchema.extend({
  ...demandsSchema.shape,
  member_access: z.boolean().optional().describe("Whether a person's own settings may loosen what asks them."),
  pending_ttl_s: z.number().int().min(60).max(604_800).optional(),
  narrower: z
    .strictObject({
      packs: z.record(z.string().regex(PACK_ID), demandsSchema).optional(),
      commands: z.record(commandName, demandsSchema).optional(),
      kinds: z.partialRecord(z.enum(VIEW_KINDS), demandsSchema).optional(),
    })
    .optional(),
});
export type TenantSettings = z.infer<typeof tenantSettingsSchema>;

/** What approvals of one call demand: the strictest of the tenant's and every narrower one that fits. */
export function demandsFor(
  settings: TenantSettings,
  call: { pack_id: string; verb_key: string; kinds: readonly string[] },
): Required<Demands> {
  const { narrower } = settings;
  const fitting: (Demands | undefined)[] = [
    settings,
    own(narrower?.packs, call.pack_id),
    own(narrower?.commands, `${call.pack_id}.${call.verb_key}`),
    ...call.kinds.map((kind) => own(narrower?.kinds as Readonly<Record<string, Demands>> | undefined, kind)),
  ];
  return {
    second_person: fitting.some((demands) => demands?.second_person === true),
    approvers: Math.max(1, ...fitting.map((demands) => demands?.approvers ?? 1)),
    reason_required: fitting.some((demands) => demands?.reason_required === true),
  };
}

const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
