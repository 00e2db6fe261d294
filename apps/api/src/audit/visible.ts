import type { AuditItem } from '@hcp/audit';
import { allows, type Caller } from '@hcp/core';
import { ProblemError } from '../platform/problem.js';

/** What of the log is asked for. */
interface Asked {
  readonly pack_id?: string | undefined;
}

/**
 * Who may read the audit of one project or pack only sees what the call is bound to and no other events.
 * @returns the project that a list has to keep to
 * @throws ProblemError 403
 */
export function readableProject(caller: Caller, { pack_id }: Asked): string | undefined {
  const project_id = caller.session.project_id ?? undefined;
  if (reads(caller, pack_id, project_id)) return project_id;
  throw new ProblemError(403, 'missing_capability', 'denied: missing audit.read');
}

/** Whether a list would show the caller this event: the whole one, or that of the event's pack. */
export function mayReadEvent(caller: Caller, event: Pick<AuditItem, 'pack_id' | 'project_id'>): boolean {
  const project_id = caller.session.project_id ?? undefined;
  if (project_id !== undefined && event.project_id !== project_id) return false;
  return reads(caller, undefined, project_id) || (event.pack_id !== null && reads(caller, event.pack_id, project_id));
}

const reads = (caller: Caller, pack_id: string | undefined, project_id: string | undefined): boolean =>
  allows(caller.authority, { capability: 'audit.read', pack_id, project_id }, new Date());
