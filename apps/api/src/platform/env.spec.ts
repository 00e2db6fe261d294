import { EnvError } from '@hcp/contracts';
import { describe, expect, it } from 'vitest';
import { proxyWarning, readEnv } from './env.js';

const good = {
  PUBLIC_URL: 'https://hcp.example.com/',
  DATABASE_URL: 'postgresql://app:secret-1@localhost/hcp',
  QUEUE_DATABASE_URL: 'postgresql://queue:secret-2@localhost/hcp',
  HCP_ROOT_KEY: 'ab'.repeat(32),
};

function refused(source: Record<string, string | undefined>): EnvError {
  try {
    readEnv(source);
  } catch (error) {
    if (error instanceof EnvError) return error;
    throw error;
  }
  throw new Error('was taken');
}

describe('readEnv', () => {
  it('takes a good environment, with defaults and in its final form', () => {
    expect(readEnv({ ...good, HCP_ALLOWED_HOSTS: 'api, Internal.example.com', PORT: '' })).toMatchObject({
      PORT: 3000,
      PUBLIC_URL: 'https://hcp.example.com',
      HCP_ALLOWED_HOSTS: ['api', 'internal.example.com'],
    });
    expect(readEnv({ ...good, HCP_ROOT_KEY: Buffer.alloc(32, 1).toString('base64') }).HCP_ROOT_KEY).toHaveLength(32);
  });

  it('names every variable that is missing or wrong', () => {
    const error = refused({ PORT: '99999', HCP_ROOT_KEY: 'short' });
    expect([...error.variables].sort()).toEqual([
      'DATABASE_URL',
      'HCP_ROOT_KEY',
      'PORT',
      'PUBLIC_URL',
      'QUEUE_DATABASE_URL',
    ]);
  });

  it.each(['10.0.0.0/8', '::1, 127.0.0.1', 'fd00::/8'])('takes the proxies %s', (proxies) => {
    expect(readEnv({ ...good, HCP_TRUSTED_PROXIES: proxies }).HCP_TRUSTED_PROXIES).not.toEqual([]);
  });

  it.each(['true', '10.0.0.0/33', '10.0.0.0/8/8', 'proxy.example.com'])('refuses the proxies %s', (proxies) => {
    expect(refused({ ...good, HCP_TRUSTED_PROXIES: proxies }).variables).toEqual(['HCP_TRUSTED_PROXIES']);
  });

  it('trusts no proxy unless told', () => {
    expect(readEnv(good).HCP_TRUSTED_PROXIES).toEqual([]);
  });

  it('never shows a value', () => {
    const secrets = {
      ...good,
      DATABASE_URL: 'mysql://hunter2@x',
      HCP_ROOT_KEY: 'hunter2',
      LOG_LEVEL: 'hunter2',
      PORT: 'hunter2',
      PUBLIC_URL: 'hunter2',
    };
    expect(refused(secrets).message).not.toContain('hunter2');
  });
});

describe('proxyWarning', () => {
  it('is for production without a named proxy', () => {
    expect(proxyWarning({ NODE_ENV: 'production', HCP_TRUSTED_PROXIES: [] })).toContain('HCP_TRUSTED_PROXIES');
    expect(proxyWarning({ NODE_ENV: 'production', HCP_TRUSTED_PROXIES: ['10.0.0.1'] })).toBeNull();
    expect(proxyWarning({ NODE_ENV: 'development', HCP_TRUSTED_PROXIES: [] })).toBeNull();
  });
});
