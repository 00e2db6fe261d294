import { items } from '@hcp/sdk';
import type { Access, AccessRuleRecord, CreateAccessRule, CreatedAccessRule } from '@hcp/contracts';
import { MODES, OPERATIONS, RULE_DECISIONS, type Mode, type Operation, type RuleDecision } from '@hcp/core';
import { type Command, Option } from 'commander';
import { conditionsFrom } from '../args/conditions.js';
import type { CommonOptions, Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { registerAccessSettings } from './access-settings.js';
import { given, type Client } from './group.js';
import { leaf, optionsOf } from './leaf.js';
import { keyId, optionalProject } from './names.js';
import { peopleOnly } from './people-only.js';
import { conditionsOf, summary } from './rule-text.js';

interface ScopeOptions extends CommonOptions {
  readonly project?: string;
  readonly own?: boolean;
}

interface ModeOptions extends ScopeOptions {
  readonly pack?: string;
  readonly forKey?: string;
  readonly forSession?: string;
}

interface RuleOptions extends ScopeOptions {
  readonly when: string[];
  readonly max: string[];
  readonly min: string[];
  readonly op?: Operation;
  readonly note?: string;
}

/** SPEC A1-A8. What changes access is for people alone; the API refuses everybody else with `human_only`. */
export function registerAccess(program: Command, context: Context): void {
  leaf(program, 'mode [mode]', 'Show or set what runs without asking: manual, auto, run; default takes a setting away')
    .option('--pack <id>', 'for one pack')
    .option('--project <id>', 'in one project, where it only tightens: name or id')
    .option('--own', 'for your own calls alone, where the tenant lets members')
    .option('--for-key <id>', 'set how far HCP_MODE may loosen with this API key: name or id')
    .option('--for-session <id>', 'set how far HCP_MODE may loosen in this session')
    .action(async (mode: string | undefined, _options: unknown, command: Command) => {
      const options = optionsOf<ModeOptions>(command);
      if (mode === undefined) await showMode(context, options);
      else await setMode(context, mode, options);
    });

  for (const decision of RULE_DECISIONS) registerRule(program, context, decision);

  const rules = program.command('rules').description('List and delete rules');
  leaf(rules, 'list', 'List rules with index and scope')
    .option('--project <id>', 'of one project, and what counts everywhere: name or id')
    .action(async (_options: unknown, command: Command) => listRules(context, optionsOf<ScopeOptions>(command)));
  leaf(rules, 'rm <rule>', 'Delete a rule, by its index in the list or its id')
    .option('--project <id>', 'the project whose list the index is of: name or id')
    .action(async (rule: string, _options: unknown, command: Command) =>
      removeRule(context, rule, optionsOf<ScopeOptions>(command)),
    );

  const access = leaf(program, 'access', 'Show what is in force, where each setting comes from, and what is ignored')
    .option('--project <id>', 'as if called in this project: name or id')
    .action(async (_options: unknown, command: Command) => showAccess(context, optionsOf<ScopeOptions>(command)));
  registerAccessSettings(access, context);
}

const WHAT: Readonly<Record<RuleDecision, string>> = {
  allow: 'Let a command run without a question',
  ask: 'Always ask about a command',
  deny: 'Never run a command, whatever the mode',
};

const repeated = (value: string, before: string[]): string[] => [...before, value];

function registerRule(program: Command, context: Context, decision: RuleDecision): void {
  leaf(program, `${decision} <match>`, `${WHAT[decision]}: pack.verb, pack.* or *`)
    .option('--when <key=value>', 'where the argument equals the value; may be repeated', repeated, [])
    .option('--max <key=n>', 'where the argument is at most n; may be repeated', repeated, [])
    .option('--min <key=n>', 'where the argument is at least n; may be repeated', repeated, [])
    .addOption(new Option('--op <operation>', 'commands of one operation').choices([...OPERATIONS]))
    .option('--note <text>', 'what it is for')
    .option('--project <id>', 'in one project, where it only tightens: name or id')
    .option('--own', 'for your own calls alone, where the tenant lets members')
    .action(async (match: string, _options: unknown, command: Command) =>
      writeRule(context, match, decision, optionsOf<RuleOptions>(command)),
    );
}

async function writeRule(context: Context, match: string, decision: RuleDecision, options: RuleOptions): Promise<void> {
  peopleOnly(context);
  const { ui } = context;
  const when = conditionsFrom(options);
  const hcp = await context.hcp(options);
  const rule: CreateAccessRule = {
    match,
    decision,
    ...(when === null ? {} : { when }),
    ...(options.op === undefined ? {} : { op: options.op }),
    ...(options.note === undefined ? {} : { note: options.note }),
    ...given({ project_id: await optionalProject(hcp, options.project) }),
    ...(options.own === true ? { own: true } : {}),
  };
  const made: CreatedAccessRule = await hcp.api.access.createRule(rule);
  for (const { path, message } of made.warnings) {
    ui.note(`${ui.style('yellow', 'warning:', 'err')} ${ui.safe(`${path} ${message}`)}`);
  }
  if (options.json === true) ui.json(made);
  else ui.note(`${ui.style('green', '✓', 'err')} rule ${made.id}: ${ui.safe(summary(made))}`);
}

async function allRules(context: Context, options: ScopeOptions): Promise<AccessRuleRecord[]> {
  const hcp = await context.hcp(options);
  const filter = given({ project_id: await optionalProject(hcp, options.project) });
  const all: AccessRuleRecord[] = [];
  for await (const rule of items((query) => hcp.api.access.rules({ ...filter, ...query }))) all.push(rule);
  return all;
}

async function listRules(context: Context, options: ScopeOptions): Promise<void> {
  const all = await allRules(context, options);
  if (options.json === true) {
    context.ui.json(all.map((rule, index) => ({ index, ...rule })));
    return;
  }
  context.ui.table(
    ['INDEX', 'SCOPE', 'ID', 'DECISION', 'MATCH', 'WHEN', 'NOTE', 'SUSPENDED'],
    all.map((rule, index) => [
      String(index),
      rule.project_id === null ? rule.scope : `${rule.scope} ${rule.project_id}`,
      rule.id,
      rule.decision,
      rule.match,
      conditionsOf(rule),
      rule.note ?? '',
      rule.suspended ?? '',
    ]),
  );
}

async function removeRule(context: Context, rule: string, options: ScopeOptions): Promise<void> {
  peopleOnly(context);
  const { ui } = context;
  const { api } = await context.hcp(options);
  const by_index = /^\d+$/.test(rule);
  // By its id it goes also where the list may not be read; then its text is not told.
  const all = await allRules(context, options).catch((error: unknown) => {
    if (by_index) throw error;
    return [];
  });
  const found = by_index ? all[Number(rule)] : all.find((each) => each.id === rule);
  const id = found?.id ?? rule;
  if (by_index && found === undefined) throw new Failure('there is no rule with this index', 'hcpx rules shows them.');
  await api.access.deleteRule(id);
  if (options.json === true) ui.json({ ok: true, id });
  else
    ui.note(
      `rule ${ui.safe(id)} is gone${found === undefined ? '' : `: ${ui.safe(`${found.scope}, ${summary(found)}`)}`}`,
    );
}

async function setMode(context: Context, word: string, options: ModeOptions): Promise<void> {
  peopleOnly(context);
  const { ui } = context;
  const mode: Mode | null | undefined = word === 'default' ? null : MODES.find((each) => each === word);
  if (mode === undefined) throw usage('the mode is manual, auto or run', 'default takes what was set away.');
  const hcp = await context.hcp(options);
  const project_id = await optionalProject(hcp, options.project);
  const api_key_id = options.forKey === undefined ? undefined : await keyId(hcp, options.forKey, '--for-key');
  const access = await hcp.api.access.setMode({
    mode,
    ...given({ pack_id: options.pack, project_id, api_key_id, session_id: options.forSession }),
    ...(options.own === true ? { own: true } : {}),
  });
  if (options.json === true) ui.json(modeOf(access));
  else printMode(context, access, options.pack);
  printIgnored(context, access);
  if (mode !== null && options.pack !== undefined) await warnUnlessSeen(context, hcp, options.pack);
}

/** A mode may be set before its pack is there; a slip of the hand looks the same. */
async function warnUnlessSeen({ ui }: Context, { api }: Client, pack_id: string): Promise<void> {
  const seen = await api.commands.list({ pack_id, limit: 1 }).catch(() => null);
  if (seen === null || seen.items.length > 0) return;
  const text = `you see no pack ${pack_id} here; the mode counts once there is one`;
  ui.note(`${ui.style('yellow', 'warning:', 'err')} ${ui.safe(text)}`);
}

async function showMode(context: Context, options: ModeOptions): Promise<void> {
  const access = await getAccess(context, options);
  if (options.json === true) context.ui.json(modeOf(access));
  else printMode(context, access, options.pack);
  printIgnored(context, access, 'process');
}

async function getAccess(context: Context, options: ScopeOptions): Promise<Access> {
  const hcp = await context.hcp(options);
  return hcp.api.access.get(given({ project_id: await optionalProject(hcp, options.project) }));
}

const modeOf = ({ effective }: Access) => ({
  mode: effective.mode.value,
  layer: effective.mode.layer,
  packs: Object.fromEntries(
    Object.entries(effective.packs).map(([pack_id, { mode }]) => [pack_id, { mode: mode.value, layer: mode.layer }]),
  ),
});

function printMode({ ui }: Context, { effective }: Access, pack?: string): void {
  const { mode } = pack === undefined ? effective : (effective.packs[pack] ?? effective);
  ui.line(`${mode.value} (${mode.layer})`);
  if (pack !== undefined) return;
  for (const [pack_id, { mode: own }] of Object.entries(effective.packs)) {
    ui.line(`${ui.safe(pack_id)}: ${own.value} (${own.layer})`);
  }
}

function printIgnored({ ui }: Context, { ignored }: Access, layer?: string): void {
  for (const each of ignored) {
    if (layer === undefined || each.layer === layer) {
      ui.note(`ignored: ${ui.safe(`${each.layer} ${each.setting}: ${each.why}`)}`);
    }
  }
}

async function showAccess(context: Context, options: ScopeOptions): Promise<void> {
  const { ui } = context;
  const access = await getAccess(context, options);
  if (options.json === true) {
    ui.json(access);
    return;
  }
  const { packs, ...settings } = access.effective;
  const rows = Object.entries(settings).map(([name, { value, layer }]) => [name, String(value ?? '-'), layer]);
  const of_packs = Object.entries(packs).map(([id, { mode }]) => [`packs.${id}.mode`, mode.value, mode.layer]);
  ui.table(['SETTING', 'VALUE', 'FROM'], [...rows, ...of_packs]);
  const rules = access.layers.flatMap((layer) => layer.rules.map((rule) => [layer.layer, summary(rule)]));
  if (rules.length > 0) {
    ui.line('');
    ui.table(['LAYER', 'RULE'], rules);
  }
  if (access.ignored.length === 0) return;
  ui.line('');
  ui.table(
    ['IGNORED IN', 'SETTING', 'WHY'],
    access.ignored.map(({ layer, setting, why }) => [layer, setting, why]),
  );
}
