import type { Context } from '../context.js';
import { agentHere } from '../failure.js';

/** Said here already, before anything is asked of the API: inside an agent nobody decides or changes access (SPEC A8). */
export function peopleOnly({ io }: Context): void {
  if (io.env.agent) throw agentHere();
}
