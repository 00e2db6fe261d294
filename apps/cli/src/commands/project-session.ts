import type { CommonOptions, Context } from '../context.js';
import type { Client } from './group.js';
import { projectId } from './names.js';

/** Long enough to wait for a run or for a person's yes, short enough to be forgotten. */
const SESSION_SECONDS = 3600;

export interface ProjectCall {
  readonly hcp: Client;
  /** Ends the session; not where a run goes on in it, which would lose its rights. */
  readonly end: () => Promise<void>;
}

/** A client whose calls are in the project of `--project`, by a narrow session opened for them; else as it is (SPEC T4). */
export async function inProject(context: Context, options: CommonOptions): Promise<ProjectCall> {
  const hcp = await context.hcp(options);
  if (options.project === undefined) return { hcp, end: () => Promise.resolve() };
  const project_id = await projectId(hcp, options.project);
  const { id } = await hcp.api.sessions.create({ project_id, expires_in_s: SESSION_SECONDS });
  const narrow = await context.hcp({ ...options, session: id });
  // It ends by itself in an hour where this fails; what the call answered counts.
  return { hcp: narrow, end: () => hcp.api.sessions.delete(id).then(undefined, () => undefined) };
}
