import { z } from 'zod';

export const PACK_ID = /^[a-z][a-z0-9-]{1,62}$/;
/** https://semver.org, the suggested expression. */
export const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;
/** A host that a pack may reach: a name, or `*.` and a name of two labels or more, with or without a port. No addresses. */
export const NETWORK_HOST =
  /^(?:\*\.(?=[^.]+\.))?(?:[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\.)*(?!(?:[0-9]+|0[xX][0-9A-Fa-f]*)(?::|$))[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(?::[1-9][0-9]{0,4})?$/;
export const ENV_NAME = /^[A-Z_][A-Z0-9_]{0,127}$/;

/** What the expressions mean, for who wrote something else. */
const ENV_WORDS = 'must be capitals, digits and _, such as LEDGER_URL';
const ID_WORDS = 'must be 2 to 63 lower-case letters, digits and -, beginning with a letter, such as ledger';
const VERSION_WORDS = 'must be a version such as 1.2.3';
const FLAG_WORDS = 'must be one flag, such as --json';
const HOST_WORDS = 'must be a host such as api.example.com, *.example.com or api.example.com:8443, and no address';

/** Credential families (SPEC B1). */
export const FAMILIES = ['user', 'local', 'mothership', 'public', 'mock'] as const;
export type Family = (typeof FAMILIES)[number];

export const WORKSPACE_MODES = ['pack', 'project', 'workspace', 'ephemeral'] as const;
export type WorkspaceMode = (typeof WORKSPACE_MODES)[number];

const bindingSchema = z.strictObject({
  family: z.enum(FAMILIES).describe('Whose credential a command runs with.'),
  provider: z.string().min(1).max(100).optional().describe('The service that the credential is for.'),
  env: z
    .record(z.string().regex(ENV_NAME, ENV_WORDS), z.string().max(1000))
    .optional()
    .describe('Environment of the child, with {{field}} for a field of the credential.'),
});

const wrapSchema = z.strictObject({
  bin: z.string().min(1).max(255).describe('A file of the pack (bin/ledger) or a program that the operator allows.'),
  argv_template: z.array(z.string().max(4096)).max(200).optional().describe('Used by commands without cli[].'),
  json_flag: z
    .union([z.string().regex(/^-{1,2}[A-Za-z0-9][A-Za-z0-9=_-]*$/, FLAG_WORDS), z.literal(false)])
    .optional()
    .describe('Appended to every argv; --json by default, false for none.'),
  workspace: z
    .strictObject({ mode: z.enum(WORKSPACE_MODES).default('pack') })
    .optional()
    .describe('Where the command runs.'),
  agent_env: z.record(z.string().regex(ENV_NAME, ENV_WORDS), z.string().max(32_768)).optional(),
  image: z.string().max(512).optional(),
  network: z
    .union([z.literal('none'), z.array(z.string().max(253).regex(NETWORK_HOST, HOST_WORDS)).min(1).max(50)])
    .optional()
    .describe('Hosts the command may reach: api.example.com, *.example.com, either with :port; none by default.'),
  timeout_ms: z.number().int().min(100).max(3_600_000).optional(),
});

/** `manifest.json` (SPEC P2). */
export const manifestSchema = z.strictObject({
  $schema: z.string().optional(),
  pack_id: z.string().regex(PACK_ID, ID_WORDS),
  name: z.string().min(1).max(100),
  version: z.string().regex(SEMVER, VERSION_WORDS).max(100),
  description: z.string().min(1).max(1000),
  kind: z
    .enum(['wrap', 'composite', 'openapi', 'sense_only'])
    .describe('sense_only: a wrap whose commands look for events and print them.'),
  binding: bindingSchema,
  wrap: wrapSchema.optional(),
  openapi: z
    .strictObject({ timeout_ms: z.number().int().min(100).max(3_600_000).optional() })
    .optional()
    .describe('Of a pack of kind openapi; what it calls stands in openapi.json.'),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** Whether its commands are a program in the sandbox; of `sense_only` each is a source of events (SPEC W8). */
export const isWrapped = ({ kind }: Pick<Manifest, 'kind'>): boolean => kind === 'wrap' || kind === 'sense_only';
