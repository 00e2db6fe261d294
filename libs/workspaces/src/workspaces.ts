import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WorkspaceMode } from '@hcp/core';

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
    const first = await mkdir(dirname(dir), { recursive: true });
    // By chmod, since a umask cuts the mode given at creation: the sandbox's users pass through these.
    if (first !== undefined) {
      for (let at = dirname(dir); at.length >= first.length; at = dirname(at)) await chmod(at, 0o755);
    }
    // Its content is nobody's but the run's: the sandbox hands it to the run's user.
    await mkdir(dir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }

  private at(tenant_id: string, key: string): Workspace {
    return { key, dir: join(this.root, tenant_id, key) };
  }
}
