import { z } from 'zod';
import { manifestSchema } from './manifest.js';
import { policySchema } from './policy.js';
import { surfaceSchema } from './surface.js';

/** The JSON Schemas (draft 2020-12) that are published for editors and the lint (SPEC P1). Fresh objects each time. */
export function packJsonSchemas(): Record<'manifest' | 'surface' | 'policy', object> {
  return {
    manifest: schemaOf(manifestSchema, 'manifest.json of an HCP pack'),
    surface: schemaOf(surfaceSchema, 'surface.json of an HCP pack'),
    policy: schemaOf(policySchema, 'policy.json of an HCP pack'),
  };
}

/** As an author writes the file: what has a default may be left out. */
function schemaOf(schema: z.ZodType, title: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
  return { $schema, title, ...rest };
}
