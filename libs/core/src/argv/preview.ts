import { splitControl } from '../args/control.js';
import type { Preview } from '../envelope/result.js';
import { renderRequest } from '../http/render-request.js';
import { findCommand } from '../packs/lookup.js';
import type { Pack } from '../packs/pack.js';
import { escapeInvisible } from '../text/unicode.js';
import { renderItems } from './render.js';

/**
 * What a person is shown before a yes: the real arguments and the exact command line, without control words and the
 * JSON flag (SPEC E5); for an API the exact request. `args` may still hold control words.
 */
export function renderPreview(
  pack: Pick<Pack, 'manifest' | 'surface'>,
  verb_key: string,
  args: Readonly<Record<string, unknown>>,
): Preview {
  const command = findCommand(pack, verb_key);
  const shown = command === null ? { ...args } : splitControl(command, args).rendered;
  return { command: verb_key, args: shown, cli: commandLine(pack, verb_key, shown) };
}

function commandLine(
  pack: Pick<Pack, 'manifest' | 'surface'>,
  verb_key: string,
  args: Readonly<Record<string, unknown>>,
): string {
  const command = findCommand(pack, verb_key);
  if (command?.request !== undefined) {
    const http = renderRequest(command, args);
    if (http.ok) {
      const { method, url, body } = http.request;
      return [method, url, ...(body === null ? [] : [body])].map(quote).join(' ');
    }
  }
  const rendered = renderItems(pack, verb_key, args);
  if (!rendered.ok) {
    // No command line of its own (a composite, say): the call in the words of `hcpx`.
    const flags = Object.entries(args).flatMap(([name, value]) => typed(name, value));
    return [pack.manifest.pack_id, verb_key, ...flags].map(quote).join(' ');
  }
  const flag = pack.manifest.wrap?.json_flag ?? '--json';
  const items = rendered.items.filter((item) => !(item.literal && item.text === flag)).map((item) => item.text);
  return [command?.cli?.[0] ?? pack.manifest.wrap?.bin ?? pack.manifest.pack_id, ...items].map(quote).join(' ');
}

/** As `readArgv` takes it back: `--to x`, and joined where the value would be read as a flag or as none. */
function typed(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each: unknown) => typed(name, each));
  const text = plain(value);
  return typeof value === 'boolean' || text.startsWith('-') ? [`--${name}=${text}`] : [`--${name}`, text];
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Quoted as a POSIX shell would want it, so that one argument cannot be shown as two. For reading only, never run. */
function quote(text: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(text)) return text;
  return `'${escapeInvisible(text).replaceAll("'", "'\\''")}'`;
}
