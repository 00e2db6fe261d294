import type { EgressFacts, SandboxDriver, SandboxOutcome, SandboxSpec } from '@hcp/sandbox';
import { describe, expect, it } from 'vitest';
import type { AdapterCall } from './adapter.js';
import { WrapAdapter, type WrapDeps } from './wrap.js';

const EXITED: SandboxOutcome = {
  kind: 'exited',
  exit_code: 0,
  oom: false,
  stdout: '{}',
  stderr: '',
  truncated: false,
  duration_ms: 1,
};

function setUp(driver: { egress: boolean; outcome?: Partial<SandboxOutcome> }) {
  const ran: SandboxSpec[] = [];
  const double: Pick<SandboxDriver, 'egress' | 'run'> = {
    egress: driver.egress,
    run: async (spec) => {
      ran.push(spec);
      return { ...EXITED, ...driver.outcome };
    },
  };
  const deps = { driver: double, no_driver: '', packDir: async () => '/packs/one', workspaces: {} };
  const adapter = new WrapAdapter(deps as unknown as WrapDeps);
  const run = async (network: string[] | 'none' | undefined, family = 'public') => {
    const manifest = {
      pack_id: 'web',
      name: 'Web',
      version: '1.0.0',
      description: 'Gets.',
      kind: 'wrap',
      binding: { family: 'public' },
      wrap: { bin: 'bin/web', json_flag: false, network },
    };
    const surface = { commands: { get: { description: 'Gets.', cli: ['web', 'get'] } } };
    const call = {
      run: { id: 'r', tenant_id: 't', pack_version_id: 'v', pack_digest: 'd', timeout_ms: 1000 },
      plan: { pack: { manifest, surface }, family, verb_key: 'get', args: {}, workspace_mode: 'pack' },
      lease: { env: {}, secrets: [] },
      workspace: null,
      signal: new AbortController().signal,
    };
    return adapter.run(call as unknown as AdapterCall);
  };
  return { ran, run };
}

describe('WrapAdapter and the hosts of a pack', () => {
  it('hands them to a driver that can hold a program to them', async () => {
    const { ran, run } = setUp({ egress: true });
    expect(await run(['api.example.com'])).toMatchObject({ status: 'succeeded' });
    expect(ran).toMatchObject([{ network: ['api.example.com'] }]);
  });

  it('asks for no network where the pack declares none', async () => {
    for (const none of ['none', undefined] as const) {
      const { ran, run } = setUp({ egress: false });
      expect(await run(none)).toMatchObject({ status: 'succeeded' });
      expect(ran[0]).not.toHaveProperty('network');
    }
  });

  it('keeps a mock run off the network, whatever the pack declares', async () => {
    for (const egress of [true, false]) {
      const { ran, run } = setUp({ egress });
      expect(await run(['api.example.com'], 'mock')).toMatchObject({ status: 'succeeded' });
      expect(ran).toHaveLength(1);
      expect(ran[0]).not.toHaveProperty('network');
    }
  });

  it('refuses such a pack where the driver cannot', async () => {
    const { ran, run } = setUp({ egress: false });
    expect(await run(['api.example.com'])).toMatchObject({ status: 'failed', code: 'sandbox_unavailable', ran: false });
    expect(ran).toEqual([]);
  });

  it('says that a host was refused when the command fails, and not which', async () => {
    const egress: EgressFacts = {
      contacted: [],
      refused: [{ host: 'secret.evil.test', port: 443, code: 'not_declared', count: 1 }],
      more: false,
    };
    const { run } = setUp({ egress: true, outcome: { exit_code: 56, stderr: 'curl: (56)', egress } });
    const outcome = await run(['api.example.com']);
    expect(outcome).toMatchObject({ status: 'failed', code: 'exit_nonzero' });
    expect(outcome.hint).toContain('hosts that its pack declares');
    expect(outcome.hint).not.toContain('secret');
  });
});
