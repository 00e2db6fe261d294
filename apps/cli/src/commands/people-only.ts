import { EXIT } from '@hcp/core';
import type { Context } from '../context.js';
import { Failure } from '../failure.js';

/** Said here already, before anything is asked of the API: inside an agent nobody decides or changes access (SPEC A8). */
export function peopleOnly({ io }: Context): void {
  if (!io.env.agent) return;
  throw new Failure(
    'only a person may do this, and HCP_AGENT is set here',
    'Ask a person to run it in a shell of their own.',
    EXIT.denied,
    'human_only',
  );
}
