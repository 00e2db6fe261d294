import { argSchema } from '../packs/lookup.js';
import type { Command } from '../packs/surface.js';
import { isBare, type TemplateToken } from './template.js';

/** What `x-switch` may be: one flag, without a value. */
export const SWITCH_FLAG = /^--?[A-Za-z0-9][A-Za-z0-9_-]*$/;

/**
 * The flag of a switch, or null: an argument that says `"x-switch": "--force"` renders a bare `{{force}}` as that flag
 * where it is true, and as nothing else.
 */
export function switchFlag(command: Command, token: TemplateToken): string | null {
  if (!isBare(token)) return null;
  const flag = argSchema(command, token.names[0] ?? '')?.['x-switch'];
  return typeof flag === 'string' && SWITCH_FLAG.test(flag) ? flag : null;
}
