import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as api from '../apps/api/src/platform/env.js';
import * as worker from '../apps/worker/src/env.js';
import { MIGRATE_ENV_NAMES, readMigrateEnv } from './lib/migrate-env.mjs';

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly environment?: Record<string, string>;
  readonly command?: string[];
  readonly ports?: string[];
  readonly volumes?: string[];
  readonly networks?: string[];
  readonly deploy?: { readonly replicas: number };
  readonly depends_on?: Record<string, { readonly condition: string }>;
  readonly healthcheck?: object;
  readonly privileged?: boolean;
  readonly cap_add?: string[];
}

const at = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const text = readFileSync(at('docker-compose.yml'), 'utf8');
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
};
const dockerfile = readFileSync(at('Dockerfile'), 'utf8');

/** A variable of the file's reader: with a default, or refused where it is missing. */
const VARIABLE = /\$\{([A-Z0-9_]+)(?::-([^}]*)|:\?([^}]*))?\}/g;

/** What Compose passes on, given the values that the head of the file says to make, and nothing else. */
const given: Record<string, string> = Object.fromEntries(
  (/for name in ([A-Z0-9_ ]+); do/.exec(text)?.[1] ?? '')
    .split(' ')
    .map((name, at) => [name, `${String(at)}a`.repeat(32)]),
);
const fill = (value: string) =>
  value.replace(VARIABLE, (_all, name: string, fallback: string | undefined) => given[name] ?? fallback ?? '');
const environmentOf = (name: string) =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).map(([key, value]) => [key, fill(value)]),
  );

const PROCESSES = {
  api: { read: api.readEnv, names: api.ENV_NAMES },
  worker: { read: worker.readEnv, names: worker.ENV_NAMES },
  migrate: { read: readMigrateEnv, names: MIGRATE_ENV_NAMES },
};

describe('docker-compose.yml', () => {
  it('has a database, a Redis, two APIs, two workers, and migrates before they start', () => {
    expect(Object.keys(compose.services).sort()).toEqual(['api', 'migrate', 'postgres', 'redis', 'worker']);
    for (const name of ['api', 'worker']) {
      expect(compose.services[name]).toMatchObject({
        deploy: { replicas: 2 },
        depends_on: {
          migrate: { condition: 'service_completed_successfully' },
          redis: { condition: 'service_healthy' },
        },
      });
    }
    expect(compose.services['migrate']).toMatchObject({ depends_on: { postgres: { condition: 'service_healthy' } } });
    expect(compose.services['postgres']?.healthcheck).toBeDefined();
    expect(compose.services['redis']?.healthcheck).toBeDefined();
  });

  it.each(Object.entries(PROCESSES))('sets for %s only what it knows, and all it needs', (name, { read, names }) => {
    const environment = environmentOf(name);
    expect(Object.keys(environment).filter((key) => !names.includes(key))).toEqual([]);
    expect(() => read(environment)).not.toThrow();
    const service = compose.services[name];
    expect(dockerfile).toContain(` AS ${service?.build?.target ?? '?'}\n`);
  });

  it('points every process at its services, by the roles that have nothing more than they need', () => {
    for (const name of ['api', 'worker']) {
      const { DATABASE_URL = '', REDIS_URL = '' } = environmentOf(name);
      expect(new URL(DATABASE_URL)).toMatchObject({ hostname: 'postgres', username: 'hcp_app', pathname: '/hcp' });
      expect(new URL(REDIS_URL)).toMatchObject({ hostname: 'redis', password: given['HCP_REDIS_PASSWORD'] });
      expect(environmentOf(name)).not.toHaveProperty('SUPERUSER_DATABASE_URL');
    }
    const redis = compose.services['redis']?.command?.map(fill) ?? [];
    expect(redis[redis.indexOf('--requirepass') + 1]).toBe(given['HCP_REDIS_PASSWORD']);
    expect(redis[redis.indexOf('--maxmemory-policy') + 1]).toBe('noeviction');
    const { DATABASE_URL: migrated } = environmentOf('migrate');
    expect(migrated).toBe(environmentOf('api')['DATABASE_URL']);
    expect(new URL(environmentOf('migrate')['SUPERUSER_DATABASE_URL'] ?? '').password).toBe(
      environmentOf('postgres')['POSTGRES_PASSWORD'],
    );
  });

  it('holds no secret, has no default for one, and its head says how to make each', () => {
    const variables = [...text.matchAll(VARIABLE)].map(([, name = '', fallback]) => ({ name, fallback }));
    const secret = variables.filter(({ name }) => /_PASSWORD$|_KEY$/.test(name));
    expect(secret.filter(({ fallback }) => fallback !== undefined)).toEqual([]);
    expect([...new Set(secret.map(({ name }) => name))].sort()).toEqual(Object.keys(given).sort());
    for (const { name, fallback } of variables)
      if (!given[name]) expect([name, typeof fallback]).toEqual([name, 'string']);
    expect(text.replace(VARIABLE, '')).not.toMatch(/:\/\/[^\s@/]*:[^\s@/]+@/);
  });

  it('lets nobody in from other machines, and into the data only the services', () => {
    const ports = Object.entries(compose.services).flatMap(([name, { ports: list = [] }]) =>
      list.map((port) => [name, port]),
    );
    expect(ports).toEqual([['api', expect.stringMatching(/^127\.0\.0\.1:/)]]);
    expect(compose.networks['data']).toEqual({ internal: true });
    for (const name of ['postgres', 'redis', 'migrate']) expect(compose.services[name]?.networks).toEqual(['data']);
    for (const service of Object.values(compose.services)) {
      expect(service.privileged).toBeUndefined();
      expect(service.cap_add).toBeUndefined();
      expect(JSON.stringify(service.volumes ?? [])).not.toContain('docker.sock');
      expect(service.build ? 'built' : service.image).toMatch(/^built$|:\d+/);
    }
  });

  it('names no volume or network that it does not declare', () => {
    for (const { volumes = [], networks = [] } of Object.values(compose.services)) {
      for (const volume of volumes)
        if (!volume.startsWith('/')) expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '');
      for (const network of networks) expect(compose.networks).toHaveProperty(network);
    }
  });
});

describe('the Dockerfile', () => {
  it('runs the API and the migrations as an ordinary user, with a health check on /readyz', () => {
    const stage = (name: string) => new RegExp(`AS ${name}\\n([\\s\\S]*?)(?=\\nFROM|$)`).exec(dockerfile)?.[1] ?? '';
    for (const name of ['api', 'migrate']) expect(stage(name)).toMatch(/^USER node$/m);
    expect(stage('api')).toMatch(/HEALTHCHECK[\s\S]*\/readyz/);
    expect(stage('worker')).toContain('bubblewrap');
  });
});

describe('the entry point of the images', () => {
  const entrypoint = at('scripts/container/entrypoint.sh');

  it('makes variables of secrets in files, and leaves those that are set', () => {
    const dir = mkdtempSync(join(tmpdir(), 'hcp-secrets-'));
    try {
      mkdirSync(join(dir, 'FOLDER'));
      writeFileSync(join(dir, 'HCP_ROOT_KEY'), 'from a file: $(id) \'" `id`\n');
      writeFileSync(join(dir, 'DATABASE_URL'), 'from a file');
      writeFileSync(join(dir, 'not-a-name; id'), 'x');
      const shown = execFileSync('/bin/sh', [entrypoint, process.execPath, '-p', 'JSON.stringify(process.env)'], {
        env: { HCP_SECRETS_DIR: dir, DATABASE_URL: 'set' },
        encoding: 'utf8',
      });
      const environment = JSON.parse(shown) as Record<string, string>;
      expect(environment).toMatchObject({ HCP_ROOT_KEY: 'from a file: $(id) \'" `id`', DATABASE_URL: 'set' });
      expect(Object.keys(environment).filter((name) => /FOLDER|not-a|SECRETS/.test(name))).toEqual([]);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('is content without any', () => {
    const shown = execFileSync('/bin/sh', [entrypoint, 'echo', 'two words'], {
      env: { HCP_SECRETS_DIR: '/nonexistent', PATH: process.env['PATH'] },
      encoding: 'utf8',
    });
    expect(shown).toBe('two words\n');
  });
});
