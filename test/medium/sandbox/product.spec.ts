import type { ResultEnvelope } from '@hcp/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askDocker, dockerHost, ensureDocker, HAS_DOCKER } from '../../support/docker.js';
import { packArchive } from '../../support/packs.js';
import { install, startStack, tenantWithOwner, type Person, type Stack } from '../../support/stack.js';

const BIN = '#!/bin/sh\nprintf \'{"at":"%s","in":"%s"}\' "$(pwd)" "$HCP_SANDBOX"\n';

describe.runIf(HAS_DOCKER)('the product on docker', () => {
  let stack: Stack;
  let owner: Person;
  beforeAll(async () => {
    await ensureDocker();
    const { Id } = JSON.parse(await askDocker('/images/hcp-sandbox:latest/json')) as { Id: string };
    stack = await startStack({
      worker_env: {
        HCP_SANDBOX_DRIVER: 'docker',
        HCP_ALLOW_UPLOADED_PACKS: 'bubblewrap,docker',
        HCP_DOCKER_HOST: dockerHost(),
        HCP_SANDBOX_IMAGES: `tools:1=${Id}`,
      },
    });
    ({ owner } = await tenantWithOwner(stack));
    for (const [pack_id, image] of Object.entries({ plain: undefined, listed: 'tools:1', foreign: 'tools:2' })) {
      const commands = { show: { description: 'Shows.', cli: [pack_id] } };
      const wrap = image === undefined ? {} : { image };
      await install(stack, owner.token, await packArchive({ pack_id, bin: BIN, wrap, commands }));
    }
  }, 240_000);
  afterAll(() => stack.stop());

  const exec = async (pack_id: string, verb_key: string): Promise<ResultEnvelope> =>
    (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body: { pack_id, verb_key } })).body;

  it.each(['plain', 'listed'])('runs %s', async (pack_id) => {
    expect(await exec(pack_id, 'show')).toMatchObject({ ok: true, result: { at: '/pack', in: 'sandbox' } });
  });

  it('refuses an image that is not on the list', async () => {
    expect(await exec('foreign', 'show')).toMatchObject({
      ok: false,
      code: 'sandbox_unavailable',
      error: "sandbox: the pack's image is not on the operator's list",
    });
  });

  it('says that it is in use', async () => {
    expect(await exec('hcp-cli', 'hcp.doctor')).toMatchObject({ ok: true, result: { sandbox: { driver: 'docker' } } });
  });
});

describe.runIf(process.getuid?.() === 0)('the product on a machine without bubblewrap and docker', () => {
  let stack: Stack;
  let owner: Person;
  beforeAll(async () => {
    // In a mount namespace of its own the worker finds no bubblewrap; and no daemon answers.
    const hide = 'mount --bind /dev/null "$(command -v bwrap)" && exec "$@"';
    stack = await startStack({
      worker_env: { HCP_DOCKER_HOST: 'unix:///nonexistent/docker.sock' },
      worker_within: ['unshare', '--mount', '--', 'sh', '-c', hide, 'sh'],
    });
    ({ owner } = await tenantWithOwner(stack));
    const commands = { show: { description: 'Shows.', cli: ['plain'] } };
    await install(stack, owner.token, await packArchive({ pack_id: 'plain', bin: BIN, commands }));
  }, 120_000);
  afterAll(() => stack.stop());

  const exec = async (pack_id: string, verb_key: string): Promise<ResultEnvelope> =>
    (await stack.call<ResultEnvelope>('POST', '/v1/exec', { token: owner.token, body: { pack_id, verb_key } })).body;

  it('starts, and says what is missing and how to get it', async () => {
    const { status, body } = await stack.call<{ sandbox: { driver: string | null; detail: string } }>('GET', '/readyz');
    expect(status).toBe(200);
    expect(body.sandbox.driver).toBeNull();
    expect(body.sandbox.detail).toMatch(/bubblewrap/);
    expect(await exec('hcp-cli', 'hcp.doctor')).toMatchObject({ ok: true, result: { sandbox: { driver: null } } });
  });

  it('refuses wraps and says how to get a sandbox', async () => {
    const refused = await exec('plain', 'show');
    expect(refused).toMatchObject({
      ok: false,
      code: 'sandbox_unavailable',
      error: 'sandbox: no driver on this worker',
    });
    expect(refused.hint).toMatch(/apt-get install bubblewrap/);
  });
});
