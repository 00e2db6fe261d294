import { parseStrictJson } from '@hcp/core';

type Json = Record<string, unknown>;

/** The new text of a file, or why it is left alone. */
export type Merged = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string };

/** Sets HCP_AGENT and adds the rules that are not there yet; keeps everything else (`.claude/settings.json`). */
export function mergeSettings(text: string | null, rules: readonly string[]): Merged {
  return merge(text, (settings) => {
    const env = objectIn(settings, 'env');
    const permissions = objectIn(settings, 'permissions');
    const deny = permissions?.['deny'] ?? [];
    if (env === null || permissions === null) return `has ${env === null ? 'env' : 'permissions'} that is no object`;
    if (!Array.isArray(deny)) return 'has permissions.deny that is no list';
    const missing = rules.filter((rule) => !deny.includes(rule));
    const list: unknown[] = [...(deny as unknown[]), ...missing];
    return { ...settings, env: { ...env, HCP_AGENT: '1' }, permissions: { ...permissions, deny: list } };
  });
}

/** Registers `hcpx mcp` as the server `hcp`, unless one of this name is there (`.mcp.json`). */
export function mergeServers(text: string | null): Merged {
  return merge(text, (file) => {
    const servers = objectIn(file, 'mcpServers');
    if (servers === null) return 'has mcpServers that is no object';
    const hcp = servers['hcp'] ?? { command: 'hcpx', args: ['mcp'], env: { HCP_AGENT: '1' } };
    return { ...file, mcpServers: { ...servers, hcp } };
  });
}

/** A file that could not be read whole is not written: what was in it would be lost. */
function merge(text: string | null, change: (json: Json) => Json | string): Merged {
  const parsed = text === null ? { ok: true as const, value: {} } : parseStrictJson(text);
  if (!parsed.ok) return { ok: false, why: noJson(parsed) };
  if (!isObject(parsed.value)) return { ok: false, why: 'is no JSON object' };
  const changed = change(parsed.value);
  if (typeof changed === 'string') return { ok: false, why: changed };
  if (text !== null && JSON.stringify(changed) === JSON.stringify(parsed.value)) return { ok: true, text };
  const indent = /^[{[]\r?\n([ \t]+)/.exec(text ?? '')?.[1] ?? '  ';
  return { ok: true, text: `${JSON.stringify(changed, null, indent)}\n` };
}

/** A comment, say: JSON for some programs, and gone once it is written anew. */
const noJson = ({ path, why }: { readonly path: string; readonly why: string }): string =>
  path === '' ? 'is not JSON that can be kept as it is (comments?)' : `cannot be kept as it is, for ${path} ${why}`;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands there, an empty object where nothing does, or null where it is something else. */
function objectIn(json: Json, name: string): Json | null {
  const value = json[name];
  if (value === undefined) return {};
  return isObject(value) ? value : null;
}
