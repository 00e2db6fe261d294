import type { AuditEvent } from '@hcp/contracts';
import { proveEvent } from '@hcp/sdk';
import type { Command } from 'commander';
import { nodeAuditCrypto } from '../audit/crypto.js';
import type { CommonOptions, Context } from '../context.js';
import { Failure } from '../failure.js';
import { LogKeyStore } from '../store/log-keys.js';
import { registerAuditFiles } from './audit-files.js';
import { filtersOf, withFilters, type AuditFilterOptions } from './audit-filters.js';
import { leaf, optionsOf, wholeNumber } from './leaf.js';

interface ListOptions extends AuditFilterOptions {
  readonly limit: number;
}

export function registerAudit(program: Command, context: Context): void {
  const audit = program.command('audit').description('Read, export and verify the audit log');
  withFilters(leaf(audit, 'list', 'Read the audit log, newest first'))
    .option('--limit <n>', 'how many events', wholeNumber(1, 200), 30)
    .action(async (_options: unknown, command: Command) => list(context, optionsOf<ListOptions>(command)));
  leaf(audit, 'show <id>', 'Show one event in full, and verify that it is in the log').action(
    async (id: string, _options: unknown, command: Command) => show(context, id, optionsOf(command)),
  );
  registerAuditFiles(audit, context);
}

async function list(context: Context, options: ListOptions): Promise<void> {
  const { ui } = context;
  const { api } = await context.hcp(options);
  const page = await api.audit.list({ limit: options.limit, ...filtersOf(options) });
  if (options.json === true) {
    ui.json(page.items);
    return;
  }
  ui.table(
    ['TIME', 'ACTION', 'PRINCIPAL', 'COMMAND OR SUBJECT', 'DECISION', 'CODE', 'RUN'],
    page.items.map((event) => [
      event.at,
      event.action,
      `${event.principal_kind ?? '-'} ${event.principal_id ?? ''}`.trim(),
      event.verb_key === null ? (event.subject ?? event.pack_id ?? '-') : `${event.pack_id ?? ''}.${event.verb_key}`,
      event.decision ?? '-',
      event.code ?? '-',
      event.run_id ?? '-',
    ]),
  );
}

const WHY = {
  key: 'the key of the log cannot be read',
  checkpoint: "the checkpoint does not bear the signature of the log's key",
  other_event: 'the proof is of another event',
  changed: 'the event was changed since it was logged',
  not_in_log: 'the event is not where the proof says it is',
} as const;

async function show(context: Context, id: string, options: CommonOptions): Promise<void> {
  const { ui, io } = context;
  const { api } = await context.hcp(options);
  const [event, proof] = [await api.audit.get(id), await api.audit.proof(id)];
  const { origin, key } = proof.checkpoint;
  await new LogKeyStore(io.env.home).keep(origin, key);
  const proven = await proveEvent(nodeAuditCrypto, event, proof, key);
  if (!proven.ok) {
    throw new Failure(
      `the audit log does not hold: ${WHY[proven.reason]}`,
      'Keep an export of it, and ask its operator.',
    );
  }
  if (options.json === true) {
    ui.json({ event, proof });
    return;
  }
  ui.fields(Object.entries(event).map(([name, value]) => [name, textOf(value)]));
  const { size, signed_at } = proven.checkpoint;
  ui.note(
    `number ${String(proven.index + 1)} of ${String(size)} in the log; the proof holds against the checkpoint ` +
      `signed at ${signed_at?.toISOString() ?? 'no time'}`,
  );
}

function textOf(value: AuditEvent[keyof AuditEvent]): string | null {
  if (value === null || typeof value === 'string') return value;
  return Array.isArray(value) && value.length === 0 ? null : JSON.stringify(value);
}
