import { EXIT, exitCodeFor, HINT_PERSON, type ResultEnvelope } from '@hcp/core';
import type { ExecOptions } from '@hcp/sdk';
import { shellLine } from '../args/shell.js';
import type { CommonOptions, Context } from '../context.js';
import { BAD_TOKEN, INTERRUPTED } from '../failure.js';
import { showCard } from '../ui/card.js';
import { inProject } from './project-session.js';

export interface CommandCall {
  readonly pack_id: string;
  readonly verb_key: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly exec?: ExecOptions;
  /** The words behind `hcpx` that are the same call with a person's yes; absent where they cannot be typed again. */
  readonly confirmed?: readonly string[];
}

/** Sends one call, shows its envelope and sets the exit code. The one way that every face of `hcpx` runs commands. */
export async function runCommand(context: Context, call: CommandCall, options: CommonOptions): Promise<void> {
  const { io, ui } = context;
  const { hcp, end } = await inProject(context, options);
  let envelope: ResultEnvelope;
  try {
    envelope = await hcp.exec(call.pack_id, call.verb_key, call.args, { ...call.exec, signal: io.signal });
  } catch (error) {
    if (!io.signal.aborted) throw error;
    ui.note('stopped waiting; what was accepted goes on: hcpx runs list');
    context.exit_code = INTERRUPTED;
    return;
  }
  if (!mayGoOn(envelope)) await end();
  context.exit_code = queuedAsAsked(envelope, call.exec) ? EXIT.ok : exitCodeFor(envelope);
  if (options.json === true) ui.json(envelope);
  else showEnvelope(context, envelope, call.confirmed);
}

/** Something of this call still lives in its session. */
const mayGoOn = ({ code, approval_id }: ResultEnvelope): boolean =>
  code === 'still_running' || code === 'outcome_unknown' || (code === 'confirm_required' && approval_id !== undefined);

/** `--wait 0` asked for no more than this. */
const queuedAsAsked = ({ code }: ResultEnvelope, exec: ExecOptions | undefined): boolean =>
  code === 'still_running' && exec?.wait_ms === 0;

/** Results on standard output; what went wrong, and what to do next, on standard error. */
export function showEnvelope(context: Context, envelope: ResultEnvelope, confirmed?: readonly string[]): void {
  const { ui } = context;
  if (envelope.result !== null && envelope.result !== undefined) {
    if (typeof envelope.result === 'string') {
      if (envelope.result !== '') ui.block(envelope.result);
    } else ui.json(envelope.result);
  }
  if (envelope.truncated === true) ui.note(ui.style('yellow', 'the output was cut off', 'err'));
  if (envelope.ok) {
    if (envelope.output_erased_at !== undefined) ui.note(ui.safe(envelope.hint ?? ''));
    if (envelope.stderr !== undefined && envelope.stderr !== '') ui.block(envelope.stderr, 'err');
    return;
  }
  if (envelope.code === 'still_running') {
    const id = envelope.run_id ?? '';
    ui.note(`${envelope.status ?? 'running'}: run ${ui.safe(id)}`);
    ui.note(`  follow it with: hcpx runs watch ${ui.safe(id)}`);
    return;
  }
  showError(context, envelope);
  if (envelope.approval !== undefined) {
    ui.note('');
    showCard(ui, envelope.approval, 'err');
    ui.note('');
  } else if (envelope.preview !== undefined) {
    ui.note('');
    ui.note(`  $ ${ui.safe(envelope.preview.cli)}`);
    for (const [name, value] of Object.entries(envelope.preview.args)) {
      ui.note(`    ${ui.safe(name)} = ${ui.safe(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`);
    }
    ui.note('');
  }
  if (envelope.access !== undefined) ui.note(`why: ${ui.safe(envelope.access.reason)}`);
  if (envelope.code === 'confirm_required') showAsk(context, envelope, confirmed);
  else if (envelope.hint !== undefined) ui.note(`what to do: ${ui.safe(hintOf(context, envelope))}`);
  if (envelope.run_id !== null) ui.note(ui.dim(`run ${ui.safe(envelope.run_id)}`, 'err'));
}

function showError({ ui }: Context, { code, error = '', result, stderr = '' }: ResultEnvelope): void {
  const own = code === 'exit_nonzero' ? ownError(result) : null;
  const head = `${code ?? 'failed'}: ${own ?? error}`.trimEnd();
  ui.note(ui.style(code === 'confirm_required' ? 'yellow' : 'red', ui.lines(head), 'err'));
  if (own !== null && stderr.trim() !== '') ui.block(ui.lines(stderr), 'err');
}

/** What a command that failed says itself, where its output is `{"error": …}` or `{"message": …}`. */
function ownError(result: unknown): string | null {
  if (typeof result !== 'object' || result === null) return null;
  const { error, message } = result as { error?: unknown; message?: unknown };
  if (typeof error === 'string') return error;
  if (typeof error === 'object' && error !== null) return ownError(error);
  return typeof message === 'string' ? message : null;
}

/** The gate: who may say yes, and what they type. */
function showAsk(context: Context, envelope: ResultEnvelope, confirmed: readonly string[] | undefined): void {
  const { io, ui } = context;
  const { access, approval, approval_id, hint } = envelope;
  const wanted = io.env.mode;
  if (wanted !== undefined && access !== undefined && access.mode !== wanted) {
    ui.note(`HCP_MODE=${ui.safe(wanted)} is not in force here: ${ui.safe(access.mode)} is. hcpx access tells why.`);
  }
  if (approval_id !== undefined) {
    ui.note(`approval: ${ui.safe(approval_id)}, waits until ${ui.safe(approval?.expires_at ?? '')}`);
  }
  const { rejected_at } = approval ?? {};
  if (rejected_at !== undefined && (hint?.endsWith(HINT_PERSON) ?? false)) {
    ui.note(`A person said no to exactly this call at ${ui.safe(rejected_at)}.`);
  }
  if ((hint?.endsWith(HINT_PERSON) ?? false) && confirmed !== undefined) {
    ui.note(`Check it, then run it with: ${ui.safe(shellLine(['hcpx', ...confirmed]))}`);
    return;
  }
  if (hint !== undefined) ui.note(`what to do: ${ui.safe(hint)}`);
  if (approval_id !== undefined) ui.note(`A person says yes with: hcpx approve ${ui.safe(approval_id)}`);
}

/** What to type, where the API can only say what to send. */
function hintOf({ io }: Context, { code, hint = '' }: ResultEnvelope): string {
  if (code === 'unauthenticated' && io.env.token !== undefined) return BAD_TOKEN;
  const wants_project = code === 'land_requires_project';
  return wants_project ? 'Name one of your projects: --project NAME (hcpx projects lists them).' : hint;
}
