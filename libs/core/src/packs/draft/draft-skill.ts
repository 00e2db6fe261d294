import type { Policy } from '../policy.js';
import type { Surface } from '../surface.js';

/** The SKILL.md of a draft: a lead that tells what there is, and one line for each command. */
export function draftSkill(name: string, description: string, { commands }: Surface, policy: Policy): string {
  const keys = Object.keys(commands);
  const asks = keys.filter((key) => policy.commands[key]?.confirm !== false);
  const lines = keys.map((key) => {
    const row = policy.commands[key];
    const how = row?.confirm === false ? row.operation : `${row?.operation ?? 'write'}, asks a person`;
    return `- \`${key}\` (${how}): ${oneLine(commands[key]?.description ?? '')}`;
  });
  const warning =
    asks.length === 0 ? '' : ` ${asks.length === keys.length ? 'Every' : 'Some'} command asks a person first.`;
  return [`# ${oneLine(name)}`, '', `${oneLine(description)}${warning}`, '', '## Commands', '', ...lines, ''].join(
    '\n',
  );
}

/** No text of a program's help begins a heading or a fence here. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').replace(/[`#<>]/g, (char) => `\\${char}`);
