import type { ApprovalState } from '../approvals/state.js';
import type { ResultEnvelope } from '../envelope/result.js';

/** The envelope as an agent reads it over MCP: where a person has to say yes, the hint tells how, and how to see it. */
export function envelopeForAgent(envelope: ResultEnvelope): ResultEnvelope {
  const { code, approval_id, hint = '' } = envelope;
  if (code !== 'confirm_required' || approval_id === undefined) return envelope;
  const how = `The person decides with: hcpx approve ${approval_id} (or hcpx reject ${approval_id}).`;
  const look = 'Wait for that with hcp_status (approval_id, wait_ms); its hint tells what to do then.';
  return { ...envelope, hint: [hint, how, look].filter(Boolean).join(' ') };
}

/** What an agent does next about a request that it asked for (SPEC E4, V2). */
export function approvalHint(
  state: ApprovalState,
  { id, run_on_approve }: { readonly id: string; readonly run_on_approve: boolean },
): string {
  switch (state) {
    case 'pending':
      return `No answer yet. A person decides with: hcpx approve ${id} (or hcpx reject ${id}); look again with wait_ms.`;
    case 'approved':
      return run_on_approve
        ? 'The yes starts the run by itself: do not send the call again; see it by hcp_status (run_id).'
        : 'A person said yes: send the same call again, unchanged, before use_expires_at.';
    case 'rejected':
      return 'A person said no: stop here, and do not ask for this call again unless they want it.';
    case 'expired':
      return 'It ran out: nobody answered, or the yes was not used in time. Ask the person whether to send the call again.';
    case 'consumed':
      return 'It was used by its run, and covers no other: see that by hcp_status (run_id).';
  }
}
