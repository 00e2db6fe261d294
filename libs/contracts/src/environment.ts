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
