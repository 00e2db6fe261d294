import { appendAudit } from '@hcp/audit';
import { allows, type Caller } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { parseFilePath } from './paths.js';
import { fileRefusal, NO_PROJECT, type FileRefusal } from './refusal.js';
import type { Workspace, Workspaces } from './workspaces.js';

/** A place in a project's workspace that a caller may read or change. */
export interface Target {
  readonly project_id: string;
  readonly workspace: Workspace;
  readonly path: string;
  readonly folders: readonly string[];
  /** Null: the workspace itself. */
  readonly name: string | null;
}

export interface Wanted {
  readonly project_id: string;
  /** As it came, decoded once. */
  readonly path: string;
  readonly operation: 'read' | 'write';
}

/** Where a caller wants to go, or why not: first whose project it is, then the right, then the path. */
export function targetOf(
  workspaces: Workspaces,
  caller: Caller,
  { project_id, path, operation }: Wanted,
  now: Date,
): Target | FileRefusal {
  const { session, authority } = caller;
  const reaches = session.project_id === null || session.project_id === project_id;
  if (!reaches || !authority.member_of.includes(project_id)) return NO_PROJECT;
  const capability = `verb.exec.${operation}` as const;
  if (!allows(authority, { capability, project_id }, now)) {
    return fileRefusal('missing_capability', `missing ${capability} for the project's files`);
  }
  const parsed = parseFilePath(path);
  if (!parsed.ok) return fileRefusal('invalid_path', parsed.why);
  const { segments } = parsed;
  const workspace = workspaces.project(caller.tenant_id, project_id);
  return { project_id, workspace, path, folders: segments.slice(0, -1), name: segments.at(-1) ?? null };
}

export interface FileAct {
  readonly action: 'file.get' | 'file.put' | 'file.delete';
  readonly details: Readonly<Record<string, string | number | boolean>>;
}

/** Writes an act on a file into the log; of its content no more than size and hash (SPEC U2). */
export async function auditFile(
  tx: Tx,
  caller: Caller,
  { project_id, path }: Target,
  { action, details }: FileAct,
): Promise<void> {
  await appendAudit(tx, {
    tenant_id: caller.tenant_id,
    action,
    principal_id: caller.principal.id,
    principal_kind: caller.is_agent ? 'agent' : caller.principal.kind,
    acts_for: caller.acts_for,
    session_id: caller.session.id,
    project_id,
    operation: action === 'file.get' ? 'read' : 'write',
    decision: 'allow',
    subject: `project:${project_id}`,
    details: { path, ...details },
  });
}
