import { exitCodeFor, type ResultEnvelope } from '@hcp/core';
import type { ExecOptions } from '@hcp/sdk';
import type { CommonOptions, Context } from '../context.js';
import { INTERRUPTED } from '../failure.js';

/** Sends one call, shows its envelope and sets the exit code. The one way that every face of `hcpx` runs commands. */
export async function runCommand(
  context: Context,
  call: { pack_id: string; verb_key: string; args: Readonly<Record<string, unknown>>; exec?: ExecOptions },
  options: CommonOptions,
): Promise<void> {
  const { io, ui } = context;
  const hcp = await context.hcp(options);
  let envelope: ResultEnvelope;
  try {
    envelope = await hcp.exec(call.pack_id, call.verb_key, call.args, { ...call.exec, signal: io.signal });
  } catch (error) {
    if (!io.signal.aborted) throw error;
    ui.note('stopped waiting; what was accepted goes on: hcpx runs list');
    context.exit_code = INTERRUPTED;
    return;
  }
  context.exit_code = exitCodeFor(envelope);
  if (options.json === true) ui.json(envelope);
  else showEnvelope(context, envelope);
}

/** Results on standard output; what went wrong, and what to do next, on standard error. */
export function showEnvelope(context: Context, envelope: ResultEnvelope): void {
  const { ui } = context;
  if (envelope.result !== null && envelope.result !== undefined) {
    if (typeof envelope.result === 'string') {
      if (envelope.result !== '') ui.block(envelope.result);
    } else ui.json(envelope.result);
  }
  if (envelope.truncated === true) ui.note(ui.style('yellow', 'the output was cut off', 'err'));
  if (envelope.ok) {
    if (envelope.stderr !== undefined && envelope.stderr !== '') ui.block(envelope.stderr, 'err');
    return;
  }
  if (envelope.code === 'still_running') {
    const id = envelope.run_id ?? '';
    ui.note(`${envelope.status ?? 'running'}: run ${ui.safe(id)}`);
    ui.note(`  follow it with: hcpx runs watch ${ui.safe(id)}`);
    return;
  }
  const asks = envelope.code === 'confirm_required';
  const head = `${envelope.code ?? 'failed'}: ${envelope.error ?? ''}`.trimEnd();
  ui.note(ui.style(asks ? 'yellow' : 'red', ui.safe(asks ? head : head.replace(/\n+$/, '')), 'err'));
  if (envelope.preview !== undefined) {
    ui.note('');
    ui.note(`  $ ${ui.safe(envelope.preview.cli)}`);
    for (const [name, value] of Object.entries(envelope.preview.args)) {
      ui.note(`    ${ui.safe(name)} = ${ui.safe(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`);
    }
    ui.note('');
  }
  if (envelope.access !== undefined) ui.note(`why: ${ui.safe(envelope.access.reason)}`);
  if (asks && envelope.approval_id !== undefined) {
    ui.note(`approval: ${ui.safe(envelope.approval_id)}, waits until ${ui.safe(envelope.approval?.expires_at ?? '')}`);
  }
  if (envelope.hint !== undefined) ui.note(`what to do: ${ui.safe(envelope.hint)}`);
  if (envelope.run_id !== null) ui.note(ui.dim(`run ${ui.safe(envelope.run_id)}`, 'err'));
}
