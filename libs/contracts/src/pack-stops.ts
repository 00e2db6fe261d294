import { z } from 'zod';
import { ANYONE, defineRoutes, HUMANS_ONLY, NO_AGENTS } from './common/route.js';
import { idSchema, packIdSchema, timestampSchema } from './common/primitives.js';

export const packStopParamsSchema = z.strictObject({ pack_id: packIdSchema });

export const packStopSchema = z
  .object({
    pack_id: packIdSchema,
    stopped: z.boolean(),
    stopped_at: timestampSchema.nullable(),
    stopped_by: idSchema.nullable(),
  })
  .meta({ id: 'PackStop' });
export type PackStop = z.infer<typeof packStopSchema>;

/** The kill switch of a pack (SPEC T5), for who manages the tenant or holds pack.install for it. */
export const packStopRoutes = defineRoutes({
  packs_stop: {
    method: 'POST',
    path: '/v1/packs/:pack_id/stop',
    summary: 'Stop a pack in the whole tenant at once, queued and running runs included',
    requires: 'authenticated',
    refuses: NO_AGENTS,
    status: 200,
    params: packStopParamsSchema,
    response: packStopSchema,
  },
  packs_resume: {
    method: 'POST',
    path: '/v1/packs/:pack_id/resume',
    summary: 'Let a stopped pack go on',
    requires: 'authenticated',
    refuses: HUMANS_ONLY,
    status: 200,
    params: packStopParamsSchema,
    response: packStopSchema,
  },
  packs_stop_get: {
    method: 'GET',
    path: '/v1/packs/:pack_id/stop',
    summary: 'Whether a pack is stopped',
    requires: 'authenticated',
    refuses: ANYONE,
    status: 200,
    params: packStopParamsSchema,
    response: packStopSchema,
  },
});
