import { FIELD_PLACES, policySchema, surfaceSchema, WORKSPACE_MODES } from '@hcp/core';
import { z } from 'zod';
import { BINDING_KINDS } from './bindings.js';
import { ANYONE, defineRoutes, NO_AGENTS } from './common/route.js';
import {
  digestSchema,
  idSchema,
  packIdSchema,
  pageOf,
  pageQuerySchema,
  timestampSchema,
  verbKeySchema,
  versionSchema,
} from './common/primitives.js';

/** Media type of an uploaded pack: a gzip-compressed tar (SPEC P7). */
export const ARCHIVE_TYPE = 'application/gzip';
export const MAX_ARCHIVE_BYTES = 10 * 1024 * 1024;
export const MAX_ARCHIVE_ENTRIES = 500;
export const MAX_UNPACKED_BYTES = 50 * 1024 * 1024;

/** SPEC P5. */
export const findingSchema = z
  .object({
    code: z.string(),
    level: z.enum(['error', 'warning']),
    path: z.string().describe('File and JSON pointer, e.g. surface.json#/commands/pay.'),
    message: z.string(),
    fix: z.string().optional(),
  })
  .meta({ id: 'Finding' });

const packRefShape = { pack_id: packIdSchema, version: versionSchema, digest: digestSchema };
export const packRefSchema = z.object(packRefShape).meta({ id: 'PackRef' });
export type PackRef = z.infer<typeof packRefSchema>;

export const packCheckSchema = z
  .object({ ok: z.boolean(), findings: z.array(findingSchema), pack: packRefSchema.nullable() })
  .meta({ id: 'PackCheck', description: '`ok` is true where no finding is an error; `pack` is null otherwise.' });
export type PackCheck = z.infer<typeof packCheckSchema>;

export const installedPackSchema = z
  .object({ ...packRefShape, findings: z.array(findingSchema) })
  .meta({ id: 'InstalledPack' });
export type InstalledPack = z.infer<typeof installedPackSchema>;

const credentialStateSchema = z
  .object({
    state: z.enum(['active', 'expired', 'stale', 'revoked', 'missing']),
    needed_by: z.enum(['some', 'all']).describe('Which of its commands need it.'),
  })
  .describe('Of the stored credential that a call of the caller would use now; absent where it needs none.');

const packShape = {
  pack_id: packIdSchema,
  name: z.string(),
  description: z.string(),
  kind: z.enum(['wrap', 'composite', 'openapi', 'sense_only']),
  platform: z.boolean().describe('Published by the platform for every tenant, or part of the product.'),
  stopped: z.boolean().describe('By its kill switch: no run of it starts, whatever is active.'),
  command_count: z.number().int().nonnegative().describe('Of the version that is active, else of the newest one.'),
  needs_binding: z.boolean().describe('Whether some of its commands run with a stored credential.'),
  provider: z.string().nullable().describe('The service that such a credential is for.'),
  credential: credentialStateSchema.optional(),
  versions: z.array(
    z.object({
      version: versionSchema,
      digest: digestSchema,
      created_at: timestampSchema,
      created_by: idSchema.nullable().describe('Null: the platform.'),
      created_by_name: z.string().nullable(),
    }),
  ),
  activations: z.array(
    z.object({
      project_id: idSchema.nullable().describe('Null: in the whole tenant.'),
      version: versionSchema,
      activated_at: timestampSchema,
      activated_by: idSchema.nullable().describe('Null: it came with the product.'),
      activated_by_name: z.string().nullable(),
    }),
  ),
};

export const packSummarySchema = z.object(packShape).meta({ id: 'PackSummary' });
export type PackSummary = z.infer<typeof packSummarySchema>;

export const packPageSchema = pageOf(packSummarySchema, 'PackPage');

const commandDefinition = surfaceSchema.shape.commands.valueType;
const policyRow = policySchema.shape.commands.valueType;

/** The pack with the commands of the version that was asked for; else of the one that is active, else of the newest one. */
export const packDetailSchema = z
  .object({
    ...packShape,
    version: versionSchema.describe('The version that `commands` is of.'),
    binding: z
      .object({
        families: z.array(z.string()),
        provider: z.string().nullable(),
        fields: z.array(z.string()).describe('Each of them is a secret.'),
        uses: z
          .array(z.object({ field: z.string(), as: z.enum(FIELD_PLACES), name: z.string().nullable() }))
          .describe('Where each field goes: a variable of the program, or a part of the requests to an API.'),
        ways: z
          .array(
            z.object({
              kind: z.enum(BINDING_KINDS),
              ready: z.boolean().describe('False: an OAuth client of the provider has to be registered for it first.'),
            }),
          )
          .describe('How a credential for it can be had, by its fields.'),
      })
      .optional()
      .describe('What a credential for its commands consists of; absent where none is stored.'),
    wrap: z
      .object({
        bin: z.string(),
        workspace: z.enum(WORKSPACE_MODES),
        network: z.array(z.string()).describe('Hosts that it may reach; none for an empty list.'),
      })
      .optional()
      .describe('The program behind its commands, and what it reaches; absent where there is none.'),
    commands: z.array(
      z.object({
        verb_key: verbKeySchema,
        description: z.string(),
        operation: policyRow.shape.operation,
        confirm: policyRow.shape.confirm,
        land: policyRow.shape.privacy.shape.land,
        args: commandDefinition.shape.args,
        cli: commandDefinition.shape.cli,
      }),
    ),
  })
  .meta({ id: 'PackDetail' });
export type PackDetail = z.infer<typeof packDetailSchema>;

export const skillQuerySchema = z.strictObject({
  full: z.enum(['0', '1']).optional().describe('1: the whole text instead of its lead.'),
});
export type SkillQuery = z.infer<typeof skillQuerySchema>;

export const skillSchema = z
  .object({ pack_id: packIdSchema, version: versionSchema, skill: z.string().nullable().describe('Markdown.') })
  .meta({ id: 'Skill' });
export type Skill = z.infer<typeof skillSchema>;

export const activatePackSchema = z
  .strictObject({
    version: versionSchema.optional().describe('The newest installed one by default.'),
    digest: digestSchema.optional().describe('Refuse another content than this.'),
    project_id: idSchema.optional().describe('Omitted: in the whole tenant.'),
  })
  .meta({ id: 'ActivatePack' });
export type ActivatePack = z.infer<typeof activatePackSchema>;

export const activationSchema = z
  .object({
    pack_id: packIdSchema,
    version: versionSchema,
    digest: digestSchema,
    project_id: idSchema.nullable(),
    activated_at: timestampSchema,
  })
  .meta({ id: 'PackActivation' });
export type PackActivation = z.infer<typeof activationSchema>;

export const rollbackPackSchema = z
  .strictObject({
    from_version: versionSchema.optional().describe('Refuse unless this is the active version.'),
    project_id: idSchema.optional().describe('Omitted: in the whole tenant.'),
  })
  .meta({ id: 'RollbackPack' });
export type RollbackPack = z.infer<typeof rollbackPackSchema>;

/** A DELETE carries no body, so the project is a query parameter. */
export const deactivatePackQuerySchema = z.strictObject({ project_id: idSchema.optional() });
export type DeactivatePackQuery = z.infer<typeof deactivatePackQuerySchema>;

export const packParamsSchema = z.strictObject({ pack_id: packIdSchema });
export const getPackQuerySchema = z.strictObject({
  version: versionSchema.optional().describe('Whose commands; the active one by default, else the newest.'),
});
export type GetPackQuery = z.infer<typeof getPackQuerySchema>;
export const packVersionParamsSchema = z.strictObject({ pack_id: packIdSchema, version: versionSchema });

/** SPEC P5-P9. */
export const packRoutes = defineRoutes({
  packs_check: {
    method: 'POST',
    path: '/v1/packs/check',
    summary: 'Check a pack without installing it',
    requires: 'pack.install',
    refuses: ANYONE,
    status: 200,
    body: 'archive',
    response: packCheckSchema,
  },
  packs_install: {
    method: 'POST',
    path: '/v1/packs',
    summary: 'Install a version of a pack',
    requires: 'pack.install',
    refuses: NO_AGENTS,
    status: 201,
    body: 'archive',
    response: installedPackSchema,
  },
  packs_list: {
    method: 'GET',
    path: '/v1/packs',
    summary: 'List installed packs',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    query: pageQuerySchema,
    response: packPageSchema,
  },
  packs_get: {
    method: 'GET',
    path: '/v1/packs/:pack_id',
    summary: 'Get a pack and its commands',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    params: packParamsSchema,
    query: getPackQuerySchema,
    response: packDetailSchema,
  },
  packs_skill: {
    method: 'GET',
    path: '/v1/packs/:pack_id/skill',
    summary: 'Get what an agent should know before using a pack',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    params: packParamsSchema,
    query: skillQuerySchema,
    response: skillSchema,
  },
  packs_delete_version: {
    method: 'DELETE',
    path: '/v1/packs/:pack_id/versions/:version',
    summary: 'Delete a version that is not active',
    requires: 'pack.install',
    refuses: NO_AGENTS,
    status: 204,
    params: packVersionParamsSchema,
  },
  packs_activate: {
    method: 'PUT',
    path: '/v1/packs/:pack_id/activation',
    summary: 'Activate a version, in the tenant or in one project',
    requires: 'pack.install',
    refuses: NO_AGENTS,
    status: 200,
    params: packParamsSchema,
    body: activatePackSchema,
    response: activationSchema,
  },
  packs_rollback: {
    method: 'POST',
    path: '/v1/packs/:pack_id/activation/rollback',
    summary: 'Go back to the version that was active before, in the tenant or in one project',
    requires: 'pack.install',
    refuses: NO_AGENTS,
    status: 200,
    params: packParamsSchema,
    body: rollbackPackSchema,
    response: activationSchema,
  },
  packs_deactivate: {
    method: 'DELETE',
    path: '/v1/packs/:pack_id/activation',
    summary: 'Deactivate a pack: new runs stop at once',
    requires: 'pack.install',
    refuses: NO_AGENTS,
    status: 204,
    params: packParamsSchema,
    query: deactivatePackQuerySchema,
  },
});
