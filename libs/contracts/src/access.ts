import {
  APPROVALS,
  LAYERS,
  MODES,
  RULE_DECISIONS,
  ruleSchema as coreRuleSchema,
  settingsSchema as coreSettingsSchema,
  tenantSettingsSchema,
} from '@hcp/core';
import { z } from 'zod';
import { ANYONE, defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, idSchema, packIdSchema, pageOf, pageQuery, timestampSchema } from './common/primitives.js';
import { accessSummarySchema, execRequestSchema, previewSchema } from './exec.js';

/** The mode that a process asks for (SPEC A1): it tightens freely and loosens as far as a person let its key or session. */
export const MODE_HEADER = 'hcp-mode';

/** Whose yes counts, as a process wants it: `human` tightens, `agent` does nothing (SPEC A5). */
export const APPROVALS_HEADER = 'hcp-approvals';

export const modeSchema = z.enum(MODES).meta({ id: 'Mode', description: 'What runs without asking (SPEC A1).' });

const layerSchema = z.enum(LAYERS).meta({ id: 'AccessLayer', description: 'Where a setting comes from.' });
const ruleShape = coreRuleSchema.shape;

export const accessRuleSchema = coreRuleSchema.meta({ id: 'AccessRule', description: 'A rule as a person writes it.' });

const ownSchema = z
  .literal(true)
  .describe('For your own calls alone, where the tenant sets member_access; needs no capability.');

export const createAccessRuleSchema = z
  .strictObject({
    ...ruleShape,
    project_id: idSchema.optional().describe('In this project alone, where it only tightens.'),
    own: ownSchema.optional(),
  })
  .meta({ id: 'CreateAccessRule' });
export type CreateAccessRule = z.infer<typeof createAccessRuleSchema>;

const warningSchema = z
  .object({ path: z.string().describe('JSON pointer.'), message: z.string() })
  .meta({ id: 'AccessWarning' });

export const RULE_SCOPES = ['tenant', 'project', 'member', 'session'] as const;

export const accessRuleRecordSchema = z
  .object({
    id: idSchema,
    scope: z.enum(RULE_SCOPES),
    project_id: idSchema.nullable(),
    match: z.string(),
    decision: z.enum(RULE_DECISIONS),
    when: z
      .object({
        args: z.record(z.string(), z.string()).optional(),
        max: z.record(z.string(), z.number()).optional(),
        min: z.record(z.string(), z.number()).optional(),
      })
      .optional(),
    op: z.string().optional(),
    note: z.string().optional(),
    suspended: z.string().nullable().describe('Why it does not count now; null where it does.'),
    created_by: idSchema,
    created_at: timestampSchema,
  })
  .meta({ id: 'AccessRuleRecord' });
export type AccessRuleRecord = z.infer<typeof accessRuleRecordSchema>;

export const createdAccessRuleSchema = accessRuleRecordSchema
  .extend({ warnings: z.array(warningSchema) })
  .meta({ id: 'CreatedAccessRule' });
export type CreatedAccessRule = z.infer<typeof createdAccessRuleSchema>;

export const accessRulePageSchema = pageOf(accessRuleRecordSchema, 'AccessRulePage');

export const listAccessRulesQuerySchema = z.strictObject({
  project_id: idSchema.optional().describe('Of this project, and what counts in every project.'),
  ...pageQuery,
});
export type ListAccessRulesQuery = z.infer<typeof listAccessRulesQuerySchema>;

export const accessQuerySchema = z.strictObject({
  project_id: idSchema.optional().describe('As of a call in this project.'),
});
export type AccessQuery = z.infer<typeof accessQuerySchema>;

/** The seed's settings document. */
export const accessSettingsSchema = coreSettingsSchema.meta({
  id: 'AccessSettings',
  description: 'The settings of one layer, with its rules.',
});
export type AccessSettingsDocument = z.infer<typeof accessSettingsSchema>;

export const setModeSchema = z
  .strictObject({
    mode: modeSchema.nullable().describe('Null takes the setting away.'),
    pack_id: packIdSchema.optional(),
    project_id: idSchema.optional().describe('In this project alone, where it only tightens.'),
    own: ownSchema.optional(),
    api_key_id: idSchema.optional().describe('Sets how far HCP-Mode may loosen with this key.'),
    session_id: idSchema.optional().describe('Sets how far HCP-Mode may loosen in this session.'),
  })
  .meta({ id: 'SetMode' });
export type SetMode = z.infer<typeof setModeSchema>;

const settable = tenantSettingsSchema.shape;
export const updateAccessSettingsSchema = z
  .strictObject({
    approvals: settable.approvals.nullable(),
    second_person: settable.second_person.nullable(),
    approvers: settable.approvers.nullable(),
    reason_required: settable.reason_required.nullable(),
    member_access: settable.member_access.nullable(),
    pending_ttl_s: settable.pending_ttl_s.nullable(),
    narrower: settable.narrower.nullable(),
  })
  .meta({
    id: 'UpdateAccessSettings',
    description: 'What is left out stays as it is; null takes a setting away, so that its default counts.',
  });
export type UpdateAccessSettings = z.infer<typeof updateAccessSettingsSchema>;

const from = <T extends z.ZodType>(value: T) =>
  z.object({ value, layer: z.union([layerSchema, z.literal('default')]) });

/** SPEC A6. */
export const accessSchema = z
  .object({
    effective: z.object({
      mode: from(modeSchema),
      packs: z.record(z.string(), z.object({ mode: from(modeSchema) })).describe('Where a pack’s mode differs.'),
      max_mode: from(modeSchema.nullable()).describe('How far HCP-Mode may loosen.'),
      approvals: from(z.enum(APPROVALS)),
      second_person: from(z.boolean()),
      approvers: from(z.number().int()),
      reason_required: from(z.boolean()),
      pending_ttl_s: from(z.number().int()),
      member_access: from(z.boolean()),
    }),
    layers: z.array(
      z.object({
        layer: layerSchema,
        settings: z.record(z.string(), z.unknown()),
        rules: z.array(
          accessRuleRecordSchema.omit({ created_by: true, created_at: true }).extend({ id: idSchema.nullable() }),
        ),
      }),
    ),
    ignored: z.array(
      z.object({ layer: layerSchema, setting: z.string(), why: z.string(), rule_id: idSchema.optional() }),
    ),
  })
  .meta({
    id: 'Access',
    description: 'What is in force for the caller, from where, and what was set and does not count.',
  });
export type Access = z.infer<typeof accessSchema>;

export const putProjectAccessSchema = z
  .object({ warnings: z.array(warningSchema), access: accessSchema })
  .meta({ id: 'ProjectAccess' });
export type ProjectAccess = z.infer<typeof putProjectAccessSchema>;

/** What a call would get, and why; nothing runs. */
export const accessTestSchema = z
  .object({
    decision: z.enum(RULE_DECISIONS),
    code: z.string().nullable(),
    error: z.string().nullable(),
    hint: z.string().nullable(),
    mode: z.string().nullable(),
    layer: z
      .union([layerSchema, z.literal('default')])
      .nullable()
      .describe('Whose rule or mode decided.'),
    reason: z.string().nullable(),
    rule: accessRuleSchema.extend({ id: idSchema.nullable() }).nullable().describe('The rule that decided.'),
    approved_by: z.string().nullable(),
    access: accessSummarySchema.nullable(),
    preview: previewSchema.nullable(),
    ignored: accessSchema.shape.ignored,
  })
  .meta({ id: 'AccessTest' });
export type AccessTest = z.infer<typeof accessTestSchema>;

export const accessRoutes = defineRoutes({
  access_get: {
    method: 'GET',
    path: '/v1/access',
    summary: 'Show what runs without asking, and why',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: accessQuerySchema,
    response: accessSchema,
  },
  access_set_mode: {
    method: 'PUT',
    path: '/v1/access/mode',
    summary: 'Set a mode',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 200,
    body: setModeSchema,
    response: accessSchema,
  },
  access_settings: {
    method: 'PUT',
    path: '/v1/access/settings',
    summary: 'Change how the tenant approves',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    body: updateAccessSettingsSchema,
    response: accessSchema,
  },
  access_rules_list: {
    method: 'GET',
    path: '/v1/access/rules',
    summary: 'List rules',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: listAccessRulesQuerySchema,
    response: accessRulePageSchema,
  },
  access_rules_create: {
    method: 'POST',
    path: '/v1/access/rules',
    summary: 'Write a rule',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 201,
    body: createAccessRuleSchema,
    response: createdAccessRuleSchema,
  },
  access_rules_delete: {
    method: 'DELETE',
    path: '/v1/access/rules/:id',
    summary: 'Delete a rule',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 204,
    params: idParamsSchema,
  },
  access_test: {
    method: 'POST',
    path: '/v1/access/test',
    summary: 'Ask what a call would get, without running it',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    body: execRequestSchema,
    response: accessTestSchema,
  },
  projects_access: {
    method: 'PUT',
    path: '/v1/projects/:id/access',
    summary: 'Replace the access settings of a project',
    requires: 'access.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    body: accessSettingsSchema,
    response: putProjectAccessSchema,
  },
});
