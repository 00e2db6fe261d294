import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../port.js';
import { containerBody, type ContainerPlan } from './container.js';

const plan = (over: Partial<ContainerPlan> = {}): ContainerPlan => ({
  ...{
    image: 'sha256:1',
    runtime: null,
    seccomp: '{}',
    uid: 200_001,
    own_uid: true,
    command: ['/pack/bin/x'],
    mounts: [],
  },
  ...{ cwd: '/pack', labels: {}, limits: DEFAULT_LIMITS },
  ...over,
});
const host = (over: Partial<ContainerPlan> = {}): Record<string, unknown> =>
  (containerBody(plan(over)) as { HostConfig: Record<string, unknown> }).HostConfig;

describe('containerBody', () => {
  it('asks for no more than docker gives for very small limits', () => {
    const limits = { ...DEFAULT_LIMITS, memory_bytes: 1, cpus: 0.0001 };
    expect(host({ limits })).toMatchObject({ Memory: 6_291_456, MemorySwap: 6_291_456, CpuQuota: 1000 });
  });

  it('gives more processor time than the machine has without a refusal', () => {
    expect(host({ limits: { ...DEFAULT_LIMITS, cpus: 512 } })).toMatchObject({
      CpuPeriod: 100_000,
      CpuQuota: 51_200_000,
    });
  });

  it('names a runtime only when there is one', () => {
    expect(host()).not.toHaveProperty('Runtime');
    expect(host({ runtime: 'runsc' })).toMatchObject({ Runtime: 'runsc' });
  });

  it('mounts read-only unless it is the workspace', () => {
    const mounts = [
      { source: '/a', target: '/pack', writable: false },
      { source: '/b', target: '/workspace', writable: true },
    ];
    expect(host({ mounts }).Mounts).toMatchObject([
      { Type: 'bind', Source: '/a', ReadOnly: true },
      { Type: 'bind', Source: '/b', ReadOnly: false },
    ]);
  });
});
