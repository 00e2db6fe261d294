import type { Pack } from '../packs/pack.js';
import { renderArgv } from './render.js';

/** Longer texts are no file's name. */
const MAX_NAME = 4096;
const SEPARATOR = /[=:,@]/g;

/**
 * Every text by which a call may name a file (SPEC V1): its arguments at any depth, the command line that they are put in,
 * where a name may come together of parts, and what stands behind `@`, `=`, `:` or `,` or is joined to a short flag. A
 * text that names none does no harm.
 */
export function namedTexts({
  pack,
  verb_key,
  args,
}: {
  readonly pack: Pick<Pack, 'manifest' | 'surface'>;
  readonly verb_key: string;
  readonly args: Readonly<Record<string, unknown>>;
}): ReadonlySet<string> {
  const rendered = pack.manifest.wrap === undefined ? null : renderArgv(pack, verb_key, args);
  const texts = new Set<string>();
  for (const text of [...textsIn(args), ...(rendered?.ok === true ? rendered.argv : [])]) {
    if (text.length > MAX_NAME) continue;
    for (const part of partsOf(text)) if (part !== '' && !part.includes('\0')) texts.add(part);
  }
  return texts;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function partsOf(text: string): string[] {
  const behind = [...text.matchAll(SEPARATOR)].map(({ index }) => text.slice(index + 1));
  const joined = /^-[A-Za-z](.+)$/s.exec(text)?.[1];
  return [text, ...text.split(SEPARATOR), ...behind, ...(joined === undefined ? [] : [joined])];
}
