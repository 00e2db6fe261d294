import { z } from 'zod';
import { defineRoutes, HUMANS_ONLY } from './common/route.js';
import { idParamsSchema, timestampSchema } from './common/primitives.js';

export const rootKeyUseSchema = z
  .object({
    root_key_id: z.string().describe('Says which root key, and which version of it; tells nothing of the key.'),
    primary: z.boolean().describe('It wraps what is made now, on the replica that answers.'),
    opens: z.boolean().describe('The replica that answers can open what it wrapped.'),
    data_keys: z.number().int().describe('Data keys of tenants that it wraps.'),
    signing_keys: z.number().int().describe('Signing keys of the issuer that it wraps.'),
  })
  .meta({ id: 'RootKey' });

export const rootKeysSchema = z.object({ items: z.array(rootKeyUseSchema) }).meta({ id: 'RootKeys' });
export type RootKeysAnswer = z.infer<typeof rootKeysSchema>;

export const rewrappedSchema = z
  .object({
    primary: z.string().describe('The root key that wraps now.'),
    done: z.number().int().describe('Keys that it wraps since this call.'),
    left: z.number().int().describe('Keys that another root key still wraps: ask again until there are none.'),
  })
  .meta({ id: 'Rewrapped' });
export type RewrappedAnswer = z.infer<typeof rewrappedSchema>;

export const rotatedSigningKeySchema = z
  .object({ kid: z.string(), signs_from: timestampSchema.describe('Until then it is only published.') })
  .meta({ id: 'RotatedSigningKey' });
export type RotatedSigningKey = z.infer<typeof rotatedSigningKeySchema>;

export const rotatedDataKeySchema = z
  .object({
    version: z.number().int(),
    seals_from: timestampSchema.describe('By then every replica knows it; until then the one before seals.'),
  })
  .meta({ id: 'RotatedDataKey' });
export type RotatedDataKey = z.infer<typeof rotatedDataKeySchema>;

/** SPEC B3: for platform operators, while everything runs. */
export const rootKeyRoutes = defineRoutes({
  root_keys_get: {
    method: 'GET',
    path: '/v1/root-keys',
    summary: 'See which root keys are in use and what they wrap',
    requires: 'platform.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    response: rootKeysSchema,
  },
  root_keys_rewrap: {
    method: 'POST',
    path: '/v1/root-keys/rewrap',
    summary: 'Wrap keys anew by the primary root key, some hundred at a time',
    requires: 'platform.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    response: rewrappedSchema,
  },
  signing_keys_rotate: {
    method: 'POST',
    path: '/v1/signing-keys/rotate',
    summary: 'Give the issuer another signing key; the one before retires when it signs',
    requires: 'platform.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    response: rotatedSigningKeySchema,
  },
  tenants_rotate_data_key: {
    method: 'POST',
    path: '/v1/tenants/:id/data-key',
    summary: 'Give a tenant another data key; the older ones go on opening what they sealed',
    requires: 'platform.manage',
    refuses: HUMANS_ONLY,
    status: 200,
    params: idParamsSchema,
    response: rotatedDataKeySchema,
  },
});
