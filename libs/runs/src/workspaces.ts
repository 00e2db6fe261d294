import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceMode } from '@hcp/core';
import type { Run } from '@hcp/database';

export interface Workspace {
  /** Names the workspace in its tenant; the writer lock is on this. */
  readonly key: string;
  readonly dir: string;
}

/** Where workspaces live (SPEC W5): one folder each below a root that every worker shares. */
export class Workspaces {
  constructor(private readonly root: string) {}

  /** The workspace a run writes in; null where it has none that outlives it. */
  of(run: Pick<Run, 'tenant_id' | 'principal_id' | 'pack_id' | 'project_id'>, mode: WorkspaceMode): Workspace | null {
    switch (mode) {
      case 'workspace':
        return this.at(run.tenant_id, `private/${run.principal_id}/${run.pack_id}`);
      case 'project':
        if (run.project_id === null) throw new Error('a project workspace needs a project');
        return this.at(run.tenant_id, `project/${run.project_id}`);
      case 'pack':
      case 'ephemeral':
        return null;
      default:
        throw new Error('unknown workspace mode');
    }
  }

  async create(workspace: Workspace): Promise<void> {
    await mkdir(workspace.dir, { recursive: true, mode: 0o755 });
  }

  private at(tenant_id: string, key: string): Workspace {
    return { key, dir: join(this.root, tenant_id, key) };
  }
}
