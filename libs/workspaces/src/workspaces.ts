import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { WorkspaceMode } from '@hcp/core';
import { makePassable, makePrivate } from './fs/make.js';

export interface Workspace {
  /** Names the workspace in its tenant; the writer lock is on this. */
  readonly key: string;
  readonly dir: string;
}

/** Whose workspace a run writes in. */
export interface WorkspaceOwner {
  readonly tenant_id: string;
  readonly principal_id: string;
  readonly pack_id: string;
  readonly project_id: string | null;
}

/**
 * Where workspaces live (SPEC W5): one folder each below a root that every API and worker process shares. The port
 * behind which another volume or store would go.
 */
export class Workspaces {
  constructor(readonly root: string) {}

  /** The workspace a run writes in; null where it has none that outlives it. */
  of(owner: WorkspaceOwner, mode: WorkspaceMode): Workspace | null {
    switch (mode) {
      case 'workspace':
        return this.at(owner.tenant_id, `private/${owner.principal_id}/${owner.pack_id}`);
      case 'project':
        if (owner.project_id === null) throw new Error('a project workspace needs a project');
        return this.project(owner.tenant_id, owner.project_id);
      case 'pack':
      case 'ephemeral':
        return null;
      default:
        throw new Error('unknown workspace mode');
    }
  }

  project(tenant_id: string, project_id: string): Workspace {
    return this.at(tenant_id, `project/${project_id}`);
  }

  /** Makes the folder where it is missing. */
  async create({ dir }: Workspace): Promise<void> {
    await makePassable(dirname(dir));
    // What is in it is the run's alone: the sandbox hands it to the run's user.
    await makePrivate(dir);
  }

  /**
   * The folder's name says nothing: a program sees it in its own list of mounts, and ids of tenants and projects are
   * not for it to know. They are too random for the hash to be found out by trying.
   */
  private at(tenant_id: string, key: string): Workspace {
    const name = createHash('sha256').update(`${tenant_id}/${key}`).digest('hex');
    return { key, dir: join(this.root, name) };
  }
}
