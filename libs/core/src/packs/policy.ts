import { z } from 'zod';
import { FAMILIES } from './manifest.js';
import { VERB_KEY, VERB_WORDS } from './surface.js';

export const OPERATIONS = ['read', 'write', 'connect'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Which scope the runtime checks for the principal (SPEC G4). */
export const LANDS = ['personal', 'brain', 'local', 'public'] as const;
export type Land = (typeof LANDS)[number];

const rowSchema = z.strictObject({
  operation: z.enum(OPERATIONS),
  confirm: z.union([z.boolean(), z.literal('always')]).describe('Whether a person is asked; "always" in every mode.'),
  privacy: z.strictObject({ land: z.enum(LANDS) }),
  binding: z.enum(FAMILIES).optional().describe("Overrides the manifest's family for this command."),
});

/** `policy.json` (SPEC P4): one row per command. */
export const policySchema = z.strictObject({
  $schema: z.string().optional(),
  commands: z.record(z.string().regex(VERB_KEY, VERB_WORDS), rowSchema),
});

export type Policy = z.infer<typeof policySchema>;
export type PolicyRow = Policy['commands'][string];
