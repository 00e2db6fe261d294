import { z } from 'zod';
import { PACK_ID } from '../packs/manifest.js';
import { VERB_KEY } from '../packs/surface.js';
import { CAPABILITIES } from './grant.js';

/** A grant as it comes over the wire (SPEC G1). */
export const grantSchema = z.strictObject({
  capability: z.enum(CAPABILITIES),
  pack_id: z.string().regex(PACK_ID).optional(),
  verb_keys: z.array(z.string().regex(VERB_KEY)).min(1).max(200).optional(),
  project_id: z.uuid().optional(),
  expires_at: z.iso.datetime({ offset: true }).optional(),
});
