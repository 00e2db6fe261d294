import type { Pack } from '../packs/pack.js';

/** The MCP tool of a command (SPEC I2). */
export const mcpToolName = (pack_id: string, verb_key: string): string =>
  `${pack_id}__${verb_key.replaceAll('.', '_')}`;

/** What a tool's name says: its pack, and its verb as far as a name can tell. A pack's id has no underscore. */
export function parseToolName(name: string): { readonly pack_id: string; readonly verb: string } | null {
  const at = name.indexOf('__');
  return at > 0 ? { pack_id: name.slice(0, at), verb: name.slice(at + 2) } : null;
}

/** The command that goes by this name in a pack: the check lets no two have one (M013). Null where there is none. */
export function commandOfTool(pack: Pick<Pack, 'manifest' | 'surface'>, name: string): string | null {
  const { pack_id } = pack.manifest;
  return Object.keys(pack.surface.commands).find((verb_key) => mcpToolName(pack_id, verb_key) === name) ?? null;
}
