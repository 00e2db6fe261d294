import { settingsSchema, type Settings } from '@hcp/core';
import { z } from 'zod';

/** A 32-byte key as 64 hex digits or as base64. */
export const rootKeySchema = z
  .string()
  .transform((text) => (/^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')))
  .refine((key) => key.length === 32, 'must be 32 bytes, as 64 hex digits or base64');

/** A URL with one of these protocols, such as `postgres:`. */
export const urlSchema = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    message: `must be a URL that begins with ${protocols.map((name) => `${name}//`).join(' or ')}`,
  });

/** Where the queue and the bus live, for every process that uses them (SPEC R1). */
export const queueVariables = {
  QUEUE_DATABASE_URL: urlSchema('postgres:', 'postgresql:')
    .optional()
    .describe('PostgreSQL as the role that owns the queue; not needed with REDIS_URL'),
  REDIS_URL: urlSchema('redis:', 'rediss:')
    .refine((text) => !URL.canParse(text) || (new URL(text).hostname !== '' && new URL(text).search === ''), {
      message: 'must name a host and have no ?options',
    })
    .refine((text) => !URL.canParse(text) || /^\/?[0-9]*$/.test(new URL(text).pathname), {
      message: 'must end with the number of a database or nothing',
    })
    .optional()
    .describe('Redis for the queue and the bus, instead of PostgreSQL'),
};

/** For `z.object({...}).check(queueGiven)`: one of the two must be there. Checked along with everything else. */
export const queueGiven = z.superRefine<{ QUEUE_DATABASE_URL?: string; REDIS_URL?: string }>(
  ({ QUEUE_DATABASE_URL, REDIS_URL }, context) => {
    if (QUEUE_DATABASE_URL !== undefined || REDIS_URL !== undefined) return;
    context.addIssue({ code: 'custom', path: ['QUEUE_DATABASE_URL'], message: 'or REDIS_URL must be set' });
  },
  { when: ({ value }) => typeof value === 'object' && value !== null },
);

const kmsName = z.enum(['local', 'vault', 'aws']);
type KmsName = z.infer<typeof kmsName>;

/** Words separated by commas, none of them empty. */
const words = (text: string): string[] => (text === '' ? [] : text.split(',').map((word) => word.trim()));

/** A path of Vault: letters, digits, `_`, `-`, and `/` between them. */
const vaultPath = z.string().regex(/^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/, 'must be a path of letters, digits, _ and -');

/** Where root keys are kept, for every process that opens what they wrap (SPEC B3, O2). */
export const kmsVariables = {
  HCP_KMS: kmsName.default('local').describe('Where the root key is kept that wraps every key at rest'),
  HCP_KMS_ALSO: z
    .string()
    .default('')
    .transform(words)
    .pipe(z.array(kmsName, { error: 'must be local, vault or aws, separated by commas' }))
    .describe('Further places whose root keys only open, while keys move from one to the other'),
  HCP_ROOT_KEY: rootKeySchema.optional().describe('local: the root key, 32 bytes as 64 hex digits or base64'),
  HCP_ROOT_KEYS_ALSO: z
    .string()
    .default('')
    .transform(words)
    .pipe(z.array(rootKeySchema, { error: 'must be root keys, separated by commas' }))
    .describe('local: further root keys that only open, separated by commas, while the root key is changed'),
  HCP_ROOT_KEY_FILE: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe('local: instead of both, a file with one root key in each line; the first wraps, the others only open'),
  HCP_VAULT_ADDR: z
    .string()
    .refine(isVaultAddress, 'must be https://host[:port], or http:// to this machine')
    .optional()
    .describe('vault: where HashiCorp Vault, or an agent of it, answers'),
  HCP_VAULT_MOUNT: vaultPath.default('transit').describe('vault: the path of the transit engine'),
  HCP_VAULT_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/, 'must be the name of a transit key')
    .optional()
    .describe('vault: the transit key, of type aes256-gcm96'),
  HCP_VAULT_NAMESPACE: vaultPath.optional().describe('vault: the namespace, for Vault Enterprise'),
  HCP_VAULT_TOKEN: z
    .string()
    .regex(/^[!-~]+$/, 'must be a token')
    .optional()
    .describe('vault: the token'),
  HCP_VAULT_TOKEN_FILE: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe('vault: instead, a file with the token, read anew each time'),
  HCP_VAULT_CA_FILE: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe('vault: certificates to trust, as PEM, instead of those of the system'),
  HCP_AWS_KMS_KEY: z
    .string()
    .regex(/^[A-Za-z0-9:/_-]+$/, 'must be the id, ARN or alias of a key')
    .optional()
    .describe('aws: the KMS key; credentials are found as every program of AWS finds them'),
  AWS_REGION: z
    .string()
    .regex(/^[a-z0-9-]+$/, 'must be a region')
    .optional()
    .describe('aws: the region of the key'),
  HCP_AWS_KMS_ENDPOINT: urlSchema('http:', 'https:')
    .optional()
    .describe('aws: another address of the service, such as a VPC endpoint'),
  HCP_KEY_CACHE_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(300_000)
    .default(300_000)
    .describe('How long an unwrapped key stays in memory'),
};

export type KmsVariables = z.output<z.ZodObject<typeof kmsVariables>>;

/** For `z.object({...}).check(kmsGiven)`: what the chosen places need is there. Checked along with everything else. */
export const kmsGiven = z.superRefine<Partial<KmsVariables>>(
  (env, context) => {
    const places: readonly KmsName[] = [
      env.HCP_KMS ?? 'local',
      ...(Array.isArray(env.HCP_KMS_ALSO) ? env.HCP_KMS_ALSO : []),
    ];
    const need = (name: keyof KmsVariables, message: string): void => {
      context.addIssue({ code: 'custom', path: [name], message });
    };
    if (places.includes('local')) {
      if (env.HCP_ROOT_KEY === undefined && env.HCP_ROOT_KEY_FILE === undefined) {
        need('HCP_ROOT_KEY', 'or HCP_ROOT_KEY_FILE must be set');
      }
      if (env.HCP_ROOT_KEY_FILE !== undefined && (env.HCP_ROOT_KEY !== undefined || env.HCP_ROOT_KEYS_ALSO?.length)) {
        need('HCP_ROOT_KEY_FILE', 'must not be set along with HCP_ROOT_KEY or HCP_ROOT_KEYS_ALSO');
      }
    }
    if (places.includes('vault')) {
      for (const name of ['HCP_VAULT_ADDR', 'HCP_VAULT_KEY'] as const) {
        if (env[name] === undefined) need(name, 'is not set');
      }
      if ((env.HCP_VAULT_TOKEN === undefined) === (env.HCP_VAULT_TOKEN_FILE === undefined)) {
        need('HCP_VAULT_TOKEN', 'or HCP_VAULT_TOKEN_FILE must be set, and not both');
      }
    }
    if (places.includes('aws')) {
      for (const name of ['HCP_AWS_KMS_KEY', 'AWS_REGION'] as const)
        if (env[name] === undefined) need(name, 'is not set');
    }
  },
  // With other variables wrong, these are named all the same; one that is wrong itself is not called missing as well.
  { when: ({ value, issues }) => typeof value === 'object' && value !== null && !issues.some(ofKms) },
);

const ofKms = ({ path }: { readonly path?: readonly PropertyKey[] }): boolean =>
  Object.hasOwn(kmsVariables, String(path?.[0]));

/** The secret token goes there, so never in the clear to another machine. */
function isVaultAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, username, password } = new URL(text);
  if (pathname !== '/' || search !== '' || username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname));
}

/** What the operator sets about access for every tenant, as one JSON document; it only tightens (SPEC A6). */
export const platformAccessVariable = z
  .string()
  .transform((text, context): Settings => {
    const parsed = settingsSchema.safeParse(jsonOrNull(text));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const message = `must be an access settings document as JSON${issue?.path.length ? ` (${issue.path.join('.')})` : ''}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .optional()
  .describe('Access settings for every tenant, as JSON: mode, packs, approvals, rules; they only tighten');

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** One or more variables are missing or wrong. The message names them and what they must be, never their value. */
export class EnvError extends Error {
  override readonly name = 'EnvError';
  constructor(
    readonly variables: readonly string[],
    problems: readonly string[],
  ) {
    super(`bad environment:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/**
 * Checks a process's environment once at start, all variables at once (SPEC O2).
 * @throws EnvError
 */
export function readEnvironment<T extends z.ZodType>(
  schema: T,
  source: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  // An empty variable is how compose files spell "not set".
  const given = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0]);
    return given[name] === undefined && issue.code !== 'custom' ? `${name} is not set` : `${name} ${describe(issue)}`;
  });
  throw new EnvError([...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))], problems);
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom') return issue.message;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  // zod's own messages name the expectation, not what was received, for formats and ranges.
  return `is not valid: ${issue.message}`;
}
