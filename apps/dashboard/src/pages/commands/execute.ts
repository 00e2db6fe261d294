import type { CommandInfo, ExecPreview } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { askIn, inProject } from '../../app/in-project.js';

/** A call, and the project that it is made in; null: outside of projects. */
export interface Draft {
  readonly command: CommandInfo;
  readonly args: Record<string, unknown>;
  readonly project_id: string | null;
}

/** What the call would be; nothing runs. */
export const previewOf = ({ command: { pack_id, verb_key }, args, project_id }: Draft): Promise<ExecPreview> =>
  askIn(project_id, ({ api }) => api.preview({ pack_id, verb_key, args }));

/**
 * Runs a command without waiting for its end: the run has a page of its own. `confirm` is sent only where a person has just
 * said yes to the card.
 */
export async function execute(
  { command: { pack_id, verb_key }, args, project_id }: Draft,
  { confirm, run_on_approve }: { readonly confirm?: true; readonly run_on_approve?: true },
): Promise<ResultEnvelope> {
  const { there, end } = await inProject(project_id);
  const answer = await there.exec({
    pack_id,
    verb_key,
    args: { ...args, ...(confirm && { confirm }) },
    wait_ms: 0,
    ...(run_on_approve && { run_on_approve }),
    // A click that is sent twice runs once.
    idempotency_key: crypto.randomUUID(),
  });
  // A run that has not begun, and a request that waits, would end with their session: theirs runs out by itself.
  if (answer.run_id === null && answer.approval_id === undefined) await end();
  return answer;
}
