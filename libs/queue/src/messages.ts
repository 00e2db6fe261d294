import { z } from 'zod';

/** Checked as strictly as a request: what another process wrote is input too. */
export const runJobSchema = z.strictObject({
  tenant_id: z.uuid(),
  run_id: z.uuid(),
  turn: z.number().int().min(1).optional(),
});

export const busMessageSchema = z.discriminatedUnion('topic', [
  z.strictObject({
    topic: z.enum(['run.changed', 'run.output', 'run.cancel']),
    message: z.strictObject({ tenant_id: z.uuid(), run_id: z.uuid() }),
  }),
  z.strictObject({ topic: z.literal('events.new'), message: z.strictObject({ tenant_id: z.uuid() }) }),
]);
