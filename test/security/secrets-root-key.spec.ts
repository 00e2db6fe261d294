import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '@hcp/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode } from '../support/process.js';

/** SPEC B3: without a good root key nothing starts, and what was given is not repeated. */

const PROCESSES = ['api', 'worker'] as const;
const script = (name: string): string => fileURLToPath(new URL(`../../apps/${name}/dist/main.js`, import.meta.url));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

describe.each(PROCESSES)('%s', (name) => {
  it.each<[string, string | undefined]>([
    ['no root key', undefined],
    ['an empty one', ''],
    ['one that is too short', randomBytes(16).toString('hex')],
    ['one that is no key', `not-a-key-${randomBytes(16).toString('hex')}`],
  ])('refuses to start with %s', async (_what, key) => {
    const started = startNode(script(name), {
      DATABASE_URL: database.app_url,
      QUEUE_DATABASE_URL: database.queue_url,
      PORT: '0',
      PUBLIC_URL: 'http://127.0.0.1:1',
      HCP_DATA_DIR: '/var/tmp/hcp-never',
      ...(key !== undefined && { HCP_ROOT_KEY: key }),
    });
    const code = await started.exited;
    expect(code).not.toBe(0);
    expect(code).not.toBeNull();
    expect(started.output()).toContain('HCP_ROOT_KEY');
    if (key) expect(started.output()).not.toContain(key);
  });
});

describe.each(PROCESSES)('%s', (name) => {
  it.each<[string, Record<string, string>, string]>([
    ['a KMS there is none of', { HCP_KMS: 'cloud-hunter2' }, 'HCP_KMS'],
    ['Vault without a token', { HCP_KMS: 'vault', HCP_VAULT_ADDR: 'https://v.example' }, 'HCP_VAULT_TOKEN'],
    ['Vault in the clear', { HCP_KMS: 'vault', HCP_VAULT_ADDR: 'http://hunter2.example' }, 'HCP_VAULT_ADDR'],
    ['AWS without a key', { HCP_KMS: 'aws', AWS_REGION: 'eu-central-1' }, 'HCP_AWS_KMS_KEY'],
    ['a key file that is not there', { HCP_ROOT_KEY_FILE: '/hunter2' }, 'HCP_ROOT_KEY_FILE'],
  ])('refuses to start with %s', async (_what, env, variable) => {
    const started = startNode(script(name), {
      DATABASE_URL: database.app_url,
      QUEUE_DATABASE_URL: database.queue_url,
      PORT: '0',
      PUBLIC_URL: 'http://127.0.0.1:1',
      HCP_DATA_DIR: '/var/tmp/hcp-never',
      ...env,
    });
    expect(await started.exited).toBe(1);
    expect(started.output()).toContain(variable);
    expect(started.output()).not.toContain('hunter2');
  });
});
