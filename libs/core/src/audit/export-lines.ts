import { z } from 'zod';
import { parseStrictJson } from '../text/strict-json.js';
import { fromBase64, toBase64 } from './bytes.js';
import { HASH_BYTES } from './merkle.js';

/**
 * An export of a log is lines of JSON: each event with its place and its leaf's hash; where events are not shown, the
 * hashes of the subtrees that they fill; now and then, and at the end, a checkpoint over all that came so far.
 */
const place = z.int().nonnegative();
const hash = z.string().transform((text, context) => {
  const bytes = fromBase64(text);
  if (bytes?.length === HASH_BYTES) return bytes;
  context.addIssue({ code: 'custom', message: 'must be a SHA-256 hash in base 64' });
  return z.NEVER;
});
const eventLine = z.strictObject({ index: place, leaf: hash, event: z.record(z.string(), z.unknown()) });
const withheldLine = z.strictObject({ withheld: z.strictObject({ from: place, to: place, hashes: z.array(hash) }) });
const checkpointLine = z.strictObject({ checkpoint: z.string() });
const lineSchema = z.union([eventLine, withheldLine, checkpointLine]);

/** One line, read. */
export type ExportLine = z.output<typeof lineSchema>;

/** Null for what is no such line. */
export function readExportLine(text: string): ExportLine | null {
  const parsed = parseStrictJson(text);
  if (!parsed.ok) return null;
  const line = lineSchema.safeParse(parsed.value);
  return line.success ? line.data : null;
}

/** @param leaf_text the canonical text of the event, whose hash the leaf is */
export const eventLineText = (index: number, leaf: Uint8Array, leaf_text: string): string =>
  `{"index":${String(index)},"leaf":"${toBase64(leaf)}","event":${leaf_text}}\n`;

export const withheldLineText = (from: number, to: number, hashes: readonly Uint8Array[]): string =>
  `${JSON.stringify({ withheld: { from, to, hashes: hashes.map(toBase64) } })}\n`;

export const checkpointLineText = (checkpoint: string): string => `${JSON.stringify({ checkpoint })}\n`;

/** Beyond this a line is no event of ours, and a file without line breaks must not fill the memory. */
const MAX_LINE = 4 * 1024 * 1024;

/**
 * The lines of a text that comes in pieces.
 * @throws RangeError where one is longer than any event
 */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) throw new RangeError('a line is too long');
    yield* lines;
  }
  if (rest !== '') yield rest;
}
