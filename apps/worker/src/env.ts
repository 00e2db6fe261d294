import {
  kmsGiven,
  kmsVariables,
  platformAccessVariable,
  queueGiven,
  queueVariables,
  readEnvironment,
  urlSchema,
} from '@hcp/contracts';
import type { Backend } from '@hcp/queue';
import { badAllowance } from '@hcp/egress';
import { z } from 'zod';

const milliseconds = (fallback: number, min: number, max: number) =>
  z.coerce.number().int().min(min).max(max).default(fallback);

/** The variables themselves; their descriptions are the reference's. */
export const envSchema = z
  .object({
    NODE_ENV: z
      .enum(['development', 'test', 'production'])
      .default('development')
      .describe('production refuses what is for development alone'),
    LOG_LEVEL: z
      .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
      .default('info')
      .describe('The least important thing that is logged'),
    DATABASE_URL: urlSchema('postgres:', 'postgresql:').describe('PostgreSQL as the application role'),
    ...queueVariables,
    DATABASE_POOL: z.coerce.number().int().min(1).max(200).default(10).describe('Connections of one worker'),
    HCP_PLATFORM_ACCESS: platformAccessVariable,
    ...kmsVariables,
    PUBLIC_URL: urlSchema('http:', 'https:')
      .transform((text) => text.replace(/\/+$/, ''))
      .optional()
      .describe('The same as of the API: issuer of the tokens that runs are lent; without it there are none'),
    HCP_DATA_DIR: z
      .string()
      .startsWith('/', 'must be an absolute path')
      .describe('Unpacked packs, workspaces and the sandbox: a folder that every uid may enter'),
    HCP_SANDBOX_DRIVER: z
      .enum(['auto', 'bubblewrap', 'docker', 'native-local'])
      .default('auto')
      .describe('What isolates commands; auto takes bubblewrap where it works, else docker'),
    HCP_ALLOW_UPLOADED_PACKS: z
      .string()
      .regex(
        /^(none|(bubblewrap|docker)(,(bubblewrap|docker))*)$/,
        'must be none, bubblewrap, docker, or both of these',
      )
      .default('none')
      .transform((text) => (text === 'none' ? [] : (text.split(',') as ('bubblewrap' | 'docker')[])))
      .describe("The operator's opt-in to run uploaded packs in these drivers"),
    HCP_DOCKER_HOST: z
      .string()
      .startsWith('unix:///', 'must be unix:///path/of/the/socket')
      .default('unix:///var/run/docker.sock')
      .describe('Docker, or podman as a service, on this machine'),
    HCP_DOCKER_RUNTIME: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be the name of a runtime')
      .optional()
      .describe('A runtime that the daemon knows, such as runsc'),
    HCP_SANDBOX_IMAGE: z.string().default('hcp-sandbox:latest').describe('What packs that name no image run in'),
    HCP_SANDBOX_IMAGES: z
      .string()
      .regex(
        /^([A-Za-z0-9][A-Za-z0-9./:_-]*=([^,=@]+@)?sha256:[0-9a-f]{64}(,|$))*$/,
        'must be name=sha256:... or name=repository@sha256:... pairs, separated by commas',
      )
      .default('')
      .transform((text) =>
        Object.fromEntries(text.split(',').flatMap((pair) => (pair ? [pair.split('=')] : [])) as [string, string][]),
      )
      .describe('Images that packs may name'),
    HCP_ALLOWED_BINS: z
      .string()
      .regex(/^([A-Za-z0-9._+-]+=\/[^,=]+(,|$))*$/, 'must be name=/absolute/path pairs, separated by commas')
      .default('')
      .transform((text) =>
        Object.fromEntries(text.split(',').flatMap((pair) => (pair ? [pair.split('=')] : [])) as [string, string][]),
      )
      .describe('Programs of the host that packs may name'),
    HCP_EGRESS_ALLOW_PRIVATE: z
      .string()
      .default('')
      .transform((text) => text.split(',').filter((entry) => entry !== ''))
      .refine((entries) => badAllowance(entries) === null, 'must be hosts or addresses, each with or without a port')
      .describe('Private hosts that packs may reach if they declare them, and that webhooks and OAuth may lead to'),
    HCP_WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(64).default(4).describe('Runs at once'),
    HCP_DRAIN_MS: milliseconds(20_000, 0, 600_000).describe('How long a shutdown waits for runs in hand'),
    HCP_RUN_TIMEOUT_MS: milliseconds(60_000, 100, 3_600_000).describe('For commands whose pack names no time-out'),
    HCP_LEASE_MS: milliseconds(15_000, 1000, 300_000).describe('A worker silent for this long has lost its runs'),
    HCP_OUTPUT_RETENTION_MS: milliseconds(86_400_000, 60_000, 366 * 86_400_000).describe(
      'How long arguments, results and cards are kept after the run and its approval have ended',
    ),
    HCP_REAP_MS: milliseconds(5_000, 200, 60_000).describe('How often lost runs, and values to erase, are looked for'),
  })
  .check(queueGiven)
  .check(kmsGiven);

/** The worker's settings. */
export type Env = z.output<typeof envSchema>;

/** What the environment may hold. */
export const ENV_NAMES: readonly string[] = Object.keys(envSchema.shape);

/** @throws EnvError */
export const readEnv = (source: Readonly<Record<string, string | undefined>>): Env =>
  readEnvironment(envSchema, source);

/** Where this process's queue and bus are. */
export const queueBackend = (env: Env, onError: Backend['onError']): Backend => ({
  redis_url: env.REDIS_URL,
  postgres_url: env.QUEUE_DATABASE_URL,
  onError,
});
