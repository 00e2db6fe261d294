import { remote } from '@hcp/sdk';
import { api, runtime } from './api.js';

export interface ProjectCalls {
  readonly there: typeof runtime;
  /** Ends the session; not where a run or a request goes on in it, which would lose its rights. */
  readonly end: () => Promise<void>;
}

/** Calls in a project are those of a session in it, which is opened for them; outside of projects, the browser's own. */
export async function inProject(project_id: string | null): Promise<ProjectCalls> {
  if (project_id === null) return { there: runtime, end: () => Promise.resolve() };
  const { id } = await api.sessions.create({ project_id });
  return {
    there: remote({ url: location.origin, browser_session: true, session: id }),
    // It ends by itself where this fails; what the call answered counts.
    end: () => api.sessions.delete(id).catch(() => undefined),
  };
}

/** One question in a project, of which nothing is left. */
export async function askIn<T>(project_id: string | null, ask: (there: typeof runtime) => Promise<T>): Promise<T> {
  const { there, end } = await inProject(project_id);
  try {
    return await ask(there);
  } finally {
    await end();
  }
}
