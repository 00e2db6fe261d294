import { createHash } from 'node:crypto';
import { canonicalJson, HCP_CLI_PACK_ID, type JsonSchema, type Pack } from '@hcp/core';

type Command = Pack['surface']['commands'][string];
type Row = Pack['policy']['commands'][string];

const READ: Row = { operation: 'read', confirm: false, privacy: { land: 'public' } };
/** They change nothing here (SPEC W6): the caller is told what does. */
const DEFERRED: Row = { operation: 'write', confirm: false, privacy: { land: 'public' } };

/** What people use instead of the commands that would change settings (SPEC W6). */
const INSTEAD = {
  install: { what: 'install a pack', run: 'hcpx pack push DIR' },
  activate: { what: 'activate a pack', run: 'hcpx pack activate PACK' },
  deactivate: { what: 'deactivate a pack, so that no new run of it starts', run: 'hcpx pack deactivate PACK' },
  connect: { what: 'connect an account to a pack', run: 'hcpx connect PACK' },
  mode: { what: 'set how much runs without asking', run: 'hcpx mode MODE' },
} as const;
type Deferred = keyof typeof INSTEAD;

const PACK_NAME = { type: 'string', pattern: '^[a-z][a-z0-9-]{1,62}$', description: 'The pack_id.' };
const PACK_ARGS = args({ pack: { ...PACK_NAME, 'x-position': 0 } }, ['pack']);

const COMMANDS: Record<string, { command: Command; row: Row }> = {
  'hcp.doctor': {
    command: {
      description: 'Say whether everything that runs commands is in order.',
      args: args({}),
      cli: ['hcp', 'doctor'],
    },
    row: READ,
  },
  'hcp.list': {
    command: {
      description: 'List the packs that are installed, with the versions and what is active.',
      args: args({}),
      cli: ['hcp', 'list'],
    },
    row: READ,
  },
  'hcp.availability': {
    command: {
      description: 'Say for each active pack whether its commands can run now. Read it before planning.',
      args: args({ pack: { ...PACK_NAME, 'x-position': 0 } }),
      cli: ['hcp', 'availability', '{{pack}}'],
    },
    row: READ,
  },
  'hcp.skill': {
    command: {
      description: 'Read how to use a pack: the lead, or all of it.',
      args: args(
        { pack: { ...PACK_NAME, 'x-position': 0 }, full: { type: 'boolean', description: 'All, not only the lead.' } },
        ['pack'],
      ),
      cli: ['hcp', 'skill', '{{pack}}', '--full={{full}}'],
    },
    row: READ,
  },
  'hcp.install': deferred('install', args({ dir: { type: 'string', description: 'The pack directory.' } })),
  'hcp.activate': deferred('activate', PACK_ARGS),
  'hcp.deactivate': deferred('deactivate', PACK_ARGS),
  'hcp.connect': deferred('connect', PACK_ARGS),
  'hcp.mode': deferred(
    'mode',
    args({ mode_name: { type: 'string', enum: ['manual', 'auto', 'run'], description: 'The mode.' }, pack: PACK_NAME }),
  ),
};

const SKILL = `# HCP

Run commands as \`pack_id\` + \`verb_key\` with named arguments. List what you may run first (\`hcpx commands\`): for each
command it says \`allow\`, \`ask\` or \`deny\`, so plan around what asks before you come to it.

## Calling

- Read a pack's skill before its first use: the lead first (\`hcpx skill PACK\`), all of it only when the lead is not
  enough (\`--full\`).
- Put the whole action into named arguments. A person is shown a card made of them, and of nothing that you write.
- One risky command in a call. Do not bundle, and do not hide one in an argument of another.
- Nobody sits at a prompt: ask for JSON (\`--json\`), and give \`-y\` or the like where an installer would ask.

## What comes back

- Branch on \`code\`, not on the text of \`error\`; \`hint\` says what to do next.
- \`confirm_required\`: nothing ran. Follow the \`hint\`, show the \`preview\`, wait for the person, then run the very same
  call again. Any change, a cent, needs another yes. Set \`confirm\` only after the person agreed.
- \`denied_by_rule\`: stop. A person decided that this does not run; do not look for another way to it.
- Never run the access commands (\`hcpx approve\`, \`reject\`, \`mode\`, \`allow\`, \`ask\`, \`deny\`, \`rules rm\`, \`access set\`, \`access unset\`), and do not
  take \`HCP_AGENT\` away: those are for people, and answer \`human_only\`.
- \`outcome_unknown\`: it may have run. Look before you try again.
`;

const CONTENT: Omit<Pack, 'digest'> = {
  manifest: {
    pack_id: HCP_CLI_PACK_ID,
    name: 'HCP',
    version: '1.0.0',
    description: 'Look at packs and what is available. What changes settings is done by hcpx or the API.',
    kind: 'composite',
    binding: { family: 'public' },
  },
  surface: { commands: mapValues(COMMANDS, ({ command }) => command) },
  policy: { commands: mapValues(COMMANDS, ({ row }) => row) },
  skill: SKILL,
};

/** The bootstrap pack, part of the product and active everywhere (SPEC P8, W6). It has no files: its digest is over this. */
export const HCP_CLI_PACK: Pack = {
  ...CONTENT,
  digest: `sha256:${createHash('sha256').update(canonicalJson(CONTENT)).digest('hex')}`,
};

/** Of a command that changes settings: who does that instead; null for every other (SPEC W6). */
export const hcpCliHint = (verb_key: string): string | null => {
  const name = verb_key.replace(/^hcp\./, '');
  return Object.hasOwn(INSTEAD, name)
    ? `Nothing was changed: a person runs \`${INSTEAD[name as Deferred].run}\``
    : null;
};

function args(properties: Record<string, JsonSchema>, required: string[] = []): Command['args'] {
  return { type: 'object', properties, required, additionalProperties: false };
}

function deferred(name: Deferred, schema: Command['args']): { command: Command; row: Row } {
  const { what, run } = INSTEAD[name];
  const description = `Changes nothing: tells what a person runs to ${what} (\`${run}\`).`;
  return { command: { description, args: schema }, row: DEFERRED };
}

function mapValues<T, U>(record: Record<string, T>, fn: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, fn(value)]));
}
