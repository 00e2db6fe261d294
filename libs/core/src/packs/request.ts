import { z } from 'zod';
import { ARG_NAME } from './names.js';

/** How a value is written where it goes: the `style` of OpenAPI 3.1 section 4.8.12, and `json` for a value that has a media type. */
export const PARAMETER_STYLES = [
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
  'json',
] as const;
export type ParameterStyle = (typeof PARAMETER_STYLES)[number];

const placeSchema = z.strictObject({
  arg: z.string().regex(ARG_NAME),
  /** Its name in the API. */
  name: z.string().min(1).max(200),
  style: z.enum(PARAMETER_STYLES),
  explode: z.boolean(),
});

const parameterSchema = placeSchema.extend({ in: z.enum(['path', 'query', 'header', 'cookie']) });

const bodySchema = z.strictObject({
  media_type: z.string().min(1).max(200),
  encoding: z.enum(['json', 'form', 'text']),
  /** The argument that is the whole body; null where `fields` make it up. */
  whole: z.string().regex(ARG_NAME).nullable(),
  fields: z.array(placeSchema),
});

const credentialSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('bearer'), field: z.string() }),
  z.strictObject({ type: z.literal('basic'), username: z.string(), password: z.string() }),
  z.strictObject({
    type: z.literal('api_key'),
    field: z.string(),
    in: z.enum(['header', 'query', 'cookie']),
    name: z.string().min(1).max(200),
  }),
]);

/** The HTTP request of a command of kind `openapi`, made from the pack's openapi.json when it is installed (SPEC W7). */
export const requestSchema = z.strictObject({
  operation_id: z.string(),
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']),
  /** The declared server: an absolute URL without query. */
  server: z.string(),
  /** With `{name}` for path parameters. */
  path: z.string(),
  parameters: z.array(parameterSchema),
  body: bodySchema.nullable(),
  /** One of these has to be given, all of its parts; an empty one is none. No entry: none either. */
  credentials: z.array(z.array(credentialSchema)),
});

export type CommandRequest = z.infer<typeof requestSchema>;
export type RequestPlace = z.infer<typeof placeSchema>;
export type RequestParameter = z.infer<typeof parameterSchema>;
export type RequestCredential = z.infer<typeof credentialSchema>;
