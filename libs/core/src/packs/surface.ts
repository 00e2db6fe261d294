import { z } from 'zod';
import { ARG_NAME, VERB_KEY, VERB_WORDS } from './names.js';
import { requestSchema } from './request.js';
import { MAX_STEPS, stepSchema } from './steps.js';

export { ARG_NAME, VERB_KEY, VERB_WORDS };

/** Kinds of the card that a person sees (SPEC C1). */
export const VIEW_KINDS = ['payment', 'message', 'event', 'removal', 'publish', 'change', 'command'] as const;

export type JsonSchema = Readonly<Record<string, unknown>>;

const argsSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string().regex(ARG_NAME), z.looseObject({})).optional(),
  required: z.array(z.string()).optional(),
});

const previewSchema = z.strictObject({
  kind: z.string().min(1).max(40),
  title: z.string().min(1).max(200),
  fields: z.record(z.string().min(1).max(60), z.string().max(500)),
});

const commandSchema = z.strictObject({
  description: z.string().min(1).max(2000),
  args: argsSchema
    .optional()
    .describe('JSON Schema of the arguments, an object; a property may say x-position, x-dash, x-switch.'),
  cli: z
    .array(z.string().max(4096))
    .min(1)
    .max(200)
    .optional()
    .describe('The command line with {{name}} placeholders.'),
  preview: previewSchema.optional().describe('What a person sees before a yes.'),
  idempotent: z.boolean().optional().describe('False for a read that must not be retried.'),
  steps: z
    .array(stepSchema)
    .min(1)
    .max(MAX_STEPS)
    .optional()
    .describe('Of a composite: the commands that it runs, one after the other.'),
  operation_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The operation of openapi.json, where its operationId is not the command’s own name.'),
  request: requestSchema.optional().describe('Made from openapi.json at the install; no pack writes it itself.'),
});

/** `surface.json` (SPEC P3). */
export const surfaceSchema = z.strictObject({
  $schema: z.string().optional(),
  commands: z.record(z.string().regex(VERB_KEY, VERB_WORDS), commandSchema),
});

export type Surface = z.infer<typeof surfaceSchema>;
export type Command = Surface['commands'][string];
