import type { Denial } from '../errors/codes.js';
import type { WorkspaceMode } from '../packs/manifest.js';
import type { Land } from '../packs/policy.js';
import type { Authority } from '../principal/principal.js';

/**
 * Step 2: the scope that the command's land wants (SPEC G4). `brain` and `local` work on what a project's members
 * share, so they need a project and membership; a project workspace does too, whatever the land.
 */
export function judgeLand(request: {
  readonly land: Land;
  readonly workspace_mode: WorkspaceMode;
  readonly project_id: string | null;
  readonly member_of: Authority['member_of'];
}): Denial | null {
  const { land, workspace_mode, project_id, member_of } = request;
  const shared = land === 'brain' || land === 'local';
  if (!shared && workspace_mode !== 'project') return null;
  // The same words whether the project is missing or not the caller's: neither tells what exists.
  const what = shared ? `privacy.land ${land}` : 'workspace.mode project';
  if (project_id !== null && member_of.includes(project_id)) return null;
  return {
    code: 'land_requires_project',
    error: `${what} requires project_id`,
    hint:
      project_id === null
        ? 'Open a session of one of your projects (POST /v1/sessions with project_id) and name it in HCP-Session.'
        : 'Use a session of a project that you, and the person you act for, are members of.',
  };
}
