import { fileURLToPath } from 'node:url';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResultEnvelope } from '@hcp/core';
import { Workspaces } from '@hcp/workspaces';
import { archiveOf } from '../../../support/packs.js';
import { install, startStack, tenantWithOwner, type Stack, type StackOptions } from '../../../support/stack.js';

/** Programs of this machine that an operator allows. */
export const BINS = 'jq=/usr/bin/jq,sqlite3=/usr/bin/sqlite3,curl=/usr/bin/curl';

export const packDir = (name: string): string =>
  fileURLToPath(new URL(`../../../../examples/packs/${name}`, import.meta.url));

/** The product with one pack, and a person in a project whose workspace a test can fill. */
export interface RealPack {
  readonly stack: Stack;
  /** The project's workspace on this machine. */
  readonly dir: string;
  exec(verb_key: string, args?: object, other_pack?: string): Promise<ResultEnvelope>;
  /** Installs another pack beside it. */
  add(archive: Buffer): Promise<unknown>;
}

export async function startRealPack(pack_id: string, options: StackOptions = {}, archive?: Buffer): Promise<RealPack> {
  const stack = await startStack({ ...options, worker_env: { HCP_ALLOWED_BINS: BINS, ...options.worker_env } });
  const { tenant_id, owner } = await tenantWithOwner(stack);
  await install(stack, owner.token, archive ?? (await archiveOf(packDir(pack_id))));
  const made = async (path: string, body: object): Promise<string> => {
    const answer = await stack.call<{ id: string }>('POST', path, { token: owner.token, body });
    if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body.id;
  };
  const project_id = await made('/v1/projects', { name: 'real' });
  const joined = await stack.call('PUT', `/v1/projects/${project_id}/members/${owner.id}`, { token: owner.token });
  if (joined.status >= 300) throw new Error(`member: ${JSON.stringify(joined.body)}`);
  const session = await made('/v1/sessions', { project_id });
  const { dir } = new Workspaces(join(stack.data_dir, 'workspaces')).project(tenant_id, project_id);
  await mkdir(dir, { recursive: true, mode: 0o755 });
  return {
    stack,
    dir,
    add: (other) => install(stack, owner.token, other),
    async exec(verb_key, args = {}, other_pack = pack_id) {
      const { body } = await stack.call<ResultEnvelope>('POST', '/v1/exec', {
        token: owner.token,
        headers: { 'hcp-session': session },
        body: { pack_id: other_pack, verb_key, args },
      });
      return body;
    },
  };
}
