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
    return given[name] === undefined ? `${name} is not set` : `${name} ${describe(issue)}`;
  });
  throw new EnvError([...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))], problems);
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom') return issue.message;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`;
  // zod's own messages name the expectation, not what was received, for formats and ranges.
  return `is not valid: ${issue.message}`;
}
