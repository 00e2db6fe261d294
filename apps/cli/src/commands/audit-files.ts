import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AuditCheckpoint } from '@hcp/contracts';
import { readCheckpoint, readExportLine } from '@hcp/core';
import { linesOf, readNoteKey, verifyExport, type VerifiedExport } from '@hcp/sdk';
import type { Command } from 'commander';
import { nodeAuditCrypto } from '../audit/crypto.js';
import type { CommonOptions, Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { LogKeyStore } from '../store/log-keys.js';
import { filtersOf, withFilters, type AuditFilterOptions } from './audit-filters.js';
import { leaf, optionsOf, wholeNumber } from './leaf.js';

interface ExportOptions extends AuditFilterOptions {
  readonly out?: string;
  readonly force?: boolean;
  readonly start?: number;
  readonly end?: number;
}

interface VerifyOptions extends CommonOptions {
  readonly key?: string;
  readonly against?: string;
  readonly partial?: boolean;
}

export function registerAuditFiles(audit: Command, context: Context): void {
  withFilters(leaf(audit, 'export', 'Write the whole log as lines of JSON, or a part with hashes for the rest'))
    .option('--out <file>', 'into a file of this machine instead of standard output')
    .option('--force', 'replace the file')
    .option('--start <place>', 'from this place of the log on, counted from 0', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('--end <place>', 'up to this place', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .action(async (_options: unknown, command: Command) => save(context, optionsOf<ExportOptions>(command)));

  leaf(audit, 'verify <file>', 'Verify an export, without any connection: names the first bad event')
    .option('--key <key>', "the log's key, as hcpx audit key shows it, or a file with it (default: the one kept here)")
    .option('--against <file>', 'an older checkpoint of the log, from hcpx audit checkpoint')
    .option('--partial', 'the export is of a part of the log')
    .action(async (file: string, _options: unknown, command: Command) =>
      check(context, file, optionsOf<VerifyOptions>(command)),
    );

  leaf(audit, 'checkpoint', 'Show what the log is now, signed: keep it to hold later exports to').action(
    async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const checkpoint = await current(context, options);
      if (options.json === true) context.ui.json(checkpoint);
      else context.ui.block(checkpoint.checkpoint);
    },
  );

  leaf(audit, 'key', "Show the log's key, and keep it for hcpx audit verify").action(
    async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const { origin, key } = await current(context, options);
      if (options.json === true) context.ui.json({ origin, key });
      else context.ui.line(context.ui.safe(key));
    },
  );
}

/** The log as it is, whose key is kept from the first time on. */
async function current(context: Context, options: CommonOptions): Promise<AuditCheckpoint> {
  const { api } = await context.hcp(options);
  const checkpoint = await api.audit.checkpoint();
  await new LogKeyStore(context.io.env.home).keep(checkpoint.origin, checkpoint.key);
  return checkpoint;
}

async function save(context: Context, options: ExportOptions): Promise<void> {
  const { ui, io } = context;
  await current(context, options);
  const { api } = await context.hcp(options);
  const { out, start, end } = options;
  const lines = Readable.from(api.audit.export({ ...filtersOf(options), start, end }, { signal: io.signal }));
  if (out === undefined) {
    await pipeline(lines, io.stdio().output, { end: false });
    return;
  }
  if (options.force !== true && (await isThere(out))) {
    throw usage(`${ui.safe(out)} is there already`, 'Name another file, or give --force.');
  }
  // Whole or not at all: what broke off is no export.
  const draft = `${out}.part`;
  try {
    await pipeline(lines, createWriteStream(draft, { mode: 0o600 }));
    await rename(draft, out);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code)) {
      throw new Failure(`${ui.safe(out)} cannot be written (${code})`, 'Name another file.');
    }
    throw error;
  }
  if (options.json === true) ui.json({ ok: true, file: out });
  else ui.note(`${ui.safe(out)} written; hcpx audit verify ${ui.safe(out)} verifies it`);
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

async function check(context: Context, file: string, options: VerifyOptions): Promise<void> {
  const { ui } = context;
  const key = await keyFor(context, file, options);
  const against = options.against === undefined ? undefined : await checkpointIn(options.against);
  const result = await reading(file, (lines) =>
    verifyExport(lines, { crypto: nodeAuditCrypto, key, against, partial: options.partial === true }),
  );
  if (options.json === true) {
    ui.json(jsonOf(result));
    context.exit_code = result.ok ? 0 : 1;
    return;
  }
  if (!result.ok) throw new Failure(result.problem.message, hintFor(result.problem.kind));
  const { checkpoint, shown, withheld, older } = result;
  ui.line(`ok: ${String(checkpoint.size)} events of ${ui.safe(checkpoint.origin)}, all as they were logged`);
  if (withheld > 0) ui.line(`    ${String(shown)} of them are in the file, ${String(withheld)} only as hashes`);
  ui.line(`    signed at ${checkpoint.signed_at?.toISOString() ?? ''}`);
  if (older) ui.line(`    begins with the ${String(older.size)} events of the older checkpoint`);
}

const hintFor = (kind: string): string =>
  kind === 'withheld'
    ? 'Where the export is of a part of the log, give --partial.'
    : 'Export the log anew and compare; keep this file, and ask the operator.';

function jsonOf(result: VerifiedExport): object {
  if (!result.ok) return { ok: false, ...result.problem };
  const { checkpoint, shown, withheld, older } = result;
  const { origin, size, root, signed_at } = checkpoint;
  return {
    ...{ ok: true, origin, size, root: Buffer.from(root).toString('base64'), signed_at, shown, withheld },
    older: older && { size: older.size, signed_at: older.signed_at },
  };
}

/** The key that was given, else the one that is kept for the log that the file says it is of. */
async function keyFor(context: Context, file: string, options: VerifyOptions) {
  const given = options.key === undefined ? undefined : await textOrFile(options.key);
  const origin = given === undefined ? await reading(file, originIn) : null;
  // Nothing in it is signed, so nothing needs a key to be found wrong.
  if (given === undefined && origin === null) return NO_KEY;
  const text = given ?? (await new LogKeyStore(context.io.env.home).get(origin ?? ''));
  if (text === undefined) {
    throw new Failure(
      'no key is kept here for this log',
      'Give --key with the key of the log, from where you trust it: hcpx audit key shows it.',
    );
  }
  const key = await readNoteKey(nodeAuditCrypto.sha256, text);
  if (!key) {
    throw usage('the key is no key of an audit log', 'It looks like name+1a2b3c4d+…; hcpx audit key shows it.');
  }
  return key;
}

const NO_KEY = { name: '', public_key: new Uint8Array() };

async function textOrFile(given: string): Promise<string> {
  return given.includes('+') && !(await isThere(given)) ? given : readFile(given, 'utf8').catch(unreadable(given));
}

async function checkpointIn(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(unreadable(file));
}

const unreadable =
  (file: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw usage(`${file} cannot be read (${error.code ?? 'unknown'})`, 'Check the name.');
  };

/** What the first checkpoint of the file says it is of; nothing is believed of it. */
async function originIn(lines: AsyncIterable<string>): Promise<string | null> {
  for await (const text of lines) {
    const line = text.startsWith('{"checkpoint"') ? readExportLine(text) : null;
    if (line && 'checkpoint' in line) return readCheckpoint(line.checkpoint)?.origin ?? null;
  }
  return null;
}

async function reading<T>(file: string, work: (lines: AsyncIterable<string>) => Promise<T>): Promise<T> {
  const stream = createReadStream(file, { encoding: 'utf8' });
  try {
    return await work(linesOf(stream as AsyncIterable<string>));
  } catch (error) {
    if (error instanceof RangeError) throw new Failure('the file is no export of an audit log', 'Check the name.');
    if (typeof (error as NodeJS.ErrnoException).code === 'string')
      return unreadable(file)(error as NodeJS.ErrnoException);
    throw error;
  } finally {
    stream.destroy();
  }
}
