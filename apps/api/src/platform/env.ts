import { readEnvironment, rootKeySchema, urlSchema } from '@hcp/contracts';
import { z } from 'zod';

const envSchema = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000).describe('Port to listen on; 0 for any free one'),
  PUBLIC_URL: urlSchema('http:', 'https:')
    .transform((text) => text.replace(/\/+$/, ''))
    .describe('Where people reach this API; the issuer of its tokens'),
  DATABASE_URL: urlSchema('postgres:', 'postgresql:').describe('PostgreSQL as the application role'),
  QUEUE_DATABASE_URL: urlSchema('postgres:', 'postgresql:').describe('PostgreSQL as the role that owns the queue'),
  DATABASE_POOL: z.coerce.number().int().min(1).max(200).default(10).describe('Connections of one replica'),
  HCP_ROOT_KEY: rootKeySchema.describe('Wraps every key at rest'),
  HCP_ALLOWED_HOSTS: z
    .string()
    .default('')
    .transform((text) =>
      text
        .split(',')
        .map((host) => host.trim().toLowerCase())
        .filter(Boolean),
    )
    .describe('Further host names this API answers to, separated by commas'),
  HCP_DRAIN_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(600_000)
    .default(10_000)
    .describe('How long a shutdown waits for requests in hand'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** The API's settings, checked once at start (SPEC O2). */
export type Env = z.output<typeof envSchema>;

/** @throws EnvError naming every bad variable, never a value */
export const readEnv = (source: Readonly<Record<string, string | undefined>>): Env =>
  readEnvironment(envSchema, source);
