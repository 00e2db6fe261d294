import { join } from 'node:path';
import { makeProject } from '@hcp/testing';
import { Workspaces } from '@hcp/workspaces';
import { rawCall, type RawAnswer } from '../../support/raw-http.js';
import { startStack, tenantWithOwner, type Person, type Stack, type StackOptions } from '../../support/stack.js';

export const BYTES = 'application/octet-stream';

/** A stack, and in it a fresh tenant with a project whose member the owner is. */
export interface Place {
  readonly stack: Stack;
  readonly tenant_id: string;
  readonly project_id: string;
  readonly owner: Person;
  /** The project's workspace on the disk. */
  readonly dir: string;
  get(path: string, token?: string): Promise<RawAnswer>;
  put(path: string, content: string | Buffer, token?: string): Promise<RawAnswer>;
  rm(path: string, token?: string): Promise<RawAnswer>;
}

export async function placeIn(stack: Stack): Promise<Place> {
  const { tenant_id, owner } = await tenantWithOwner(stack);
  const project_id = (await makeProject(stack.database.db, tenant_id, [owner.id])).id;
  const send = (method: string, path: string, token = owner.token, body?: string | Buffer) =>
    rawCall(stack.urls[0], method, `/v1/projects/${project_id}/files/${path}`, { token, body, type: BYTES });
  return {
    ...{ stack, tenant_id, project_id, owner },
    dir: new Workspaces(join(stack.data_dir, 'workspaces')).project(tenant_id, project_id).dir,
    get: (path, token) => send('GET', path, token),
    put: (path, content, token) => send('PUT', path, token, content),
    rm: (path, token) => send('DELETE', path, token),
  };
}

export const start = (options?: StackOptions): Promise<Stack> => startStack({ workers: 0, ...options });

/** The answer's JSON body. */
export const json = ({ text }: RawAnswer): Record<string, unknown> => JSON.parse(text) as Record<string, unknown>;
