import { isIP } from 'node:net';
import {
  kmsGiven,
  kmsVariables,
  platformAccessVariable,
  queueGiven,
  queueVariables,
  readEnvironment,
  urlSchema,
} from '@hcp/contracts';
import { badAllowance } from '@hcp/egress';
import { z } from 'zod';

/** Words separated by commas. */
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((word) => word.trim().toLowerCase())
      .filter(Boolean),
  );

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** The variables themselves; their descriptions are the reference's. */
export const envSchema = z
  .object({
    NODE_ENV: z
      .enum(['development', 'test', 'production'])
      .default('development')
      .describe('production refuses what is for development alone'),
    HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
    PORT: z.coerce.number().int().min(0).max(65_535).default(3000).describe('Port to listen on; 0 for any free one'),
    PUBLIC_URL: urlSchema('http:', 'https:')
      .transform((text) => text.replace(/\/+$/, ''))
      .describe('Where people reach this API; the issuer of its tokens'),
    DATABASE_URL: urlSchema('postgres:', 'postgresql:').describe('PostgreSQL as the application role'),
    ...queueVariables,
    DATABASE_POOL: z.coerce.number().int().min(1).max(200).default(10).describe('Connections of one replica'),
    HCP_PLATFORM_ACCESS: platformAccessVariable,
    ...kmsVariables,
    HCP_ALLOWED_HOSTS: list.describe('Further host names this API answers to, separated by commas'),
    HCP_TRUSTED_PROXIES: list
      .refine((proxies) => proxies.every(isAddressOrRange), 'must be addresses or CIDR ranges, separated by commas')
      .describe('Proxies whose X-Forwarded-For counts, for rate limits; none by default'),
    HCP_EGRESS_ALLOW_PRIVATE: list
      .refine((hosts) => badAllowance(hosts) === null, 'must be hosts or addresses, with or without :port')
      .describe(
        'Private hosts that tenants may name all the same (identity providers, webhooks), separated by commas; none by default',
      ),
    SMTP_URL: urlSchema('smtp:', 'smtps:').optional().describe('Mail server that invitations and resets go through'),
    HCP_MAIL_FROM: z
      .string()
      .regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address')
      .optional()
      .describe('Sender of mails; noreply@ the host of PUBLIC_URL by default'),
    HCP_MAIL_DIR: z
      .string()
      .startsWith('/', 'must be an absolute path')
      .optional()
      .describe('Without a mail server: a folder that mails are written to, for whoever passes them on'),
    HCP_STATE_DIR: z
      .string()
      .startsWith('/', 'must be an absolute path')
      .optional()
      .describe('Mails go to mail/ in it'),
    HCP_DATA_DIR: z
      .string()
      .startsWith('/', 'must be an absolute path')
      .optional()
      .describe('The same folder as the workers have, on one volume; without it there is no files API'),
    HCP_DASHBOARD_DIR: z
      .string()
      .startsWith('/', 'must be an absolute path')
      .optional()
      .describe('A folder with another build of the dashboard; the one beside the API by default'),
    HCP_WORKSPACE_BYTES: z.coerce
      .number()
      .int()
      .min(1)
      .max(2 ** 50)
      .default(2 ** 30)
      .describe("Bytes of a project's workspace beyond which no file is put there"),
    HCP_WORKSPACE_ENTRIES: z.coerce
      .number()
      .int()
      .min(1)
      .max(1_000_000)
      .default(10_000)
      .describe("Files and folders of a project's workspace beyond which none is put there"),
    HCP_DRAIN_MS: z.coerce
      .number()
      .int()
      .min(0)
      .max(600_000)
      .default(10_000)
      .describe('How long a shutdown waits for requests in hand'),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .default('info')
      .describe('The least important thing that is logged'),
  })
  .check(queueGiven)
  .check(kmsGiven)
  .refine((env) => env.NODE_ENV !== 'production' || env.SMTP_URL !== undefined || env.HCP_MAIL_DIR !== undefined, {
    path: ['SMTP_URL'],
    message: 'must be set in production, or HCP_MAIL_DIR',
  });

/** What an operator should hear at the start; null where all is well. */
export function proxyWarning(env: Pick<Env, 'NODE_ENV' | 'HCP_TRUSTED_PROXIES'>): string | null {
  if (env.NODE_ENV !== 'production' || env.HCP_TRUSTED_PROXIES.length > 0) return null;
  return 'HCP_TRUSTED_PROXIES is not set: behind a proxy everybody has its address, and failures of one count for all';
}

/** The API's settings, checked once at start (SPEC O2). */
export type Env = z.output<typeof envSchema>;

/** What the environment may hold. */
export const ENV_NAMES: readonly string[] = Object.keys(envSchema.shape);

/** @throws EnvError naming every bad variable, never a value */
export const readEnv = (source: Readonly<Record<string, string | undefined>>): Env =>
  readEnvironment(envSchema, source);
