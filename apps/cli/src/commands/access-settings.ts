import type { Access, UpdateAccessSettings } from '@hcp/contracts';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { usage } from '../failure.js';
import { leaf, optionsOf } from './leaf.js';
import { peopleOnly } from './people-only.js';

type Setting = keyof UpdateAccessSettings;

const KINDS: Readonly<Record<Setting, 'text' | 'switch' | 'number' | 'json'>> = {
  approvals: 'text',
  second_person: 'switch',
  approvers: 'number',
  reason_required: 'switch',
  pending_ttl_s: 'number',
  member_access: 'switch',
  narrower: 'json',
};
const NAMES = Object.keys(KINDS).join(', ');

/** How the tenant approves (SPEC A5, V3, V4): what of it is set, and what goes back to its default. */
export function registerAccessSettings(access: Command, context: Context): void {
  leaf(access, 'set <key=value...>', `Set how the tenant approves: ${NAMES}`).action(
    async (words: string[], _options: unknown, command: Command) =>
      change(context, optionsOf<CommonOptions>(command), assigned(words)),
  );
  leaf(access, 'unset <key...>', `Take a setting away, so that its default counts: ${NAMES}`).action(
    async (words: string[], _options: unknown, command: Command) =>
      change(context, optionsOf<CommonOptions>(command), Object.fromEntries(words.map((word) => [known(word), null]))),
  );
}

async function change(context: Context, options: CommonOptions, settings: UpdateAccessSettings): Promise<void> {
  peopleOnly(context);
  const { ui } = context;
  const hcp = await context.hcp(options);
  const access = await hcp.api.access.settings(settings);
  if (options.json === true) {
    ui.json(access);
    return;
  }
  for (const name of Object.keys(settings) as Setting[]) ui.note(`${name}: ${ui.safe(inForce(access, name))}`);
}

function inForce({ effective }: Access, name: Setting): string {
  if (name === 'narrower') return 'saved';
  const { value, layer } = effective[name];
  return `${String(value)} (${layer})`;
}

function assigned(words: readonly string[]): UpdateAccessSettings {
  const found = new Map<Setting, unknown>();
  for (const word of words) {
    const at = word.indexOf('=');
    const name = known(at < 0 ? word : word.slice(0, at));
    if (at < 0) throw usage(`${name} has no value`, `Give ${name}=VALUE, or take it away: hcpx access unset ${name}`);
    if (found.has(name)) throw usage(`${name} is given twice`, 'Name each setting once.');
    found.set(name, valueOf(name, word.slice(at + 1)));
  }
  return Object.fromEntries(found);
}

function known(name: string): Setting {
  if (Object.hasOwn(KINDS, name)) return name as Setting;
  throw usage('there is no such setting', `The settings are ${NAMES}.`);
}

/** The bounds of a value are the API's to say. */
function valueOf(name: Setting, text: string): unknown {
  switch (KINDS[name]) {
    case 'text':
      return text;
    case 'switch':
      if (text === 'true' || text === 'false') return text === 'true';
      throw usage(`${name} is true or false`, `For example ${name}=true.`);
    case 'number':
      if (/^\d{1,9}$/.test(text)) return Number(text);
      throw usage(`${name} is a whole number`, `For example ${name}=${name === 'approvers' ? '2' : '3600'}.`);
    case 'json':
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw usage(`${name} is no JSON`, `For example ${name}='{"packs":{"ledger":{"approvers":2}}}'.`);
      }
  }
}
