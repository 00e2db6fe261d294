import { EXIT } from '@hcp/core';
import { HcpError } from '@hcp/sdk';
import { Command, CommanderError } from 'commander';
import { didYouMean } from './args/nearest.js';
import { leadingOptions } from './args/shared-flags.js';
import { registerAdopt } from './commands/adopt.js';
import { registerAgents } from './commands/agents.js';
import { registerAccess } from './commands/access.js';
import { registerApprovals } from './commands/approvals.js';
import { registerAudit } from './commands/audit.js';
import { registerBindings } from './commands/bindings.js';
import { registerCheck } from './commands/check.js';
import { registerConnect } from './commands/connect.js';
import { commandLine } from './commands/command-line.js';
import { registerDoctor } from './commands/doctor.js';
import { registerEvents } from './commands/events.js';
import { registerExec } from './commands/exec.js';
import { registerFiles } from './commands/files.js';
import { registerGrants } from './commands/grants.js';
import { registerInvitations } from './commands/invitations.js';
import { registerIssuers } from './commands/issuers.js';
import { registerKeys } from './commands/keys.js';
import { registerLists } from './commands/list.js';
import { registerLogin } from './commands/login.js';
import { registerMcp } from './commands/mcp.js';
import { registerMembers } from './commands/members.js';
import { registerPack } from './commands/pack.js';
import { registerPackSwitch } from './commands/pack-switch.js';
import { registerProjects } from './commands/projects.js';
import { registerProviders } from './commands/providers.js';
import { registerRoles } from './commands/roles.js';
import { registerRuns } from './commands/runs.js';
import { registerSense } from './commands/sense.js';
import { registerSessions } from './commands/sessions.js';
import { registerRootKey } from './commands/root-key.js';
import { registerTenants } from './commands/tenants.js';
import { registerWrap } from './commands/wrap.js';
import { registerWebhooks } from './commands/webhooks.js';
import { type CommonOptions, Context } from './context.js';
import { explain, Failure, INTERRUPTED, usage } from './failure.js';
import type { Io } from './io.js';
import { manyLines } from './ui/text.js';

/** Runs `hcpx` with these words and answers its exit code (SPEC I3). */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const context = new Context(io);
  try {
    const hcpx = program(context);
    const words = expand(argv);
    refuseUnknown(hcpx, words);
    await hcpx.parseAsync(words, { from: 'user' });
    return context.exit_code;
  } catch (error) {
    return report(context, error, wantsJson(argv));
  }
}

function program(context: Context): Command {
  const { io } = context;
  const hcpx = new Command('hcpx')
    .description('Runs commands for people, agents and products under one policy.')
    .usage('[options] <command> …  |  hcpx <pack> <verb> …')
    .version('0.1.0')
    .option('--json', 'print JSON')
    .option('--url <url>', 'address of the API (default: HCP_URL, or the last login)')
    .option('--session <id>', 'an explicit session (default: HCP_SESSION)')
    .option('--project <id>', 'run a command in this project: its id or name')
    .argument('[pack]', 'a pack, to run one of its commands as a command line')
    .argument('[words...]', 'the command and its own words and flags')
    .enablePositionalOptions()
    .passThroughOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
      outputError: (text, write) => write(io.err.terminal ? manyLines(text) : text),
      getOutHelpWidth: () => io.out.columns,
      getErrHelpWidth: () => io.err.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText(
      'after',
      '\nEnvironment: HCP_URL, HCP_TOKEN, HCP_SESSION, HCP_MODE, HCP_APPROVALS, HCP_AGENT=1, HCP_HOME, NO_COLOR.' +
        '\nExit codes: 0 ok, 1 failure, 2 usage, 3 confirm required, 4 denied.',
    );
  hcpx.action(async (pack: string | undefined, words: string[]) => {
    if (pack === undefined) hcpx.outputHelp();
    else await commandLine(context, pack, words, hcpx.opts<CommonOptions>(), namesOf(hcpx));
  });
  hcpx.hook('preAction', (_root, action) => {
    const takes = action === hcpx || action.options.some((option) => option.attributeName() === 'project');
    if (hcpx.opts<CommonOptions>().project !== undefined && !takes) {
      throw usage('--project says nothing to this command', 'Leave it out.');
    }
  });
  registerLogin(hcpx, context);
  registerExec(hcpx, context);
  registerLists(hcpx, context);
  registerAudit(hcpx, context);
  registerCheck(hcpx, context);
  registerWrap(hcpx, context);
  registerPack(hcpx, context);
  registerPackSwitch(hcpx, context);
  registerBindings(hcpx, context);
  registerConnect(hcpx, context);
  registerProviders(hcpx, context);
  registerAccess(hcpx, context);
  registerApprovals(hcpx, context);
  registerFiles(hcpx, context);
  registerRuns(hcpx, context);
  registerEvents(hcpx, context);
  registerSense(hcpx, context);
  registerSessions(hcpx, context);
  registerProjects(hcpx, context);
  registerMembers(hcpx, context);
  registerInvitations(hcpx, context);
  registerAgents(hcpx, context);
  registerKeys(hcpx, context);
  registerRoles(hcpx, context);
  registerGrants(hcpx, context);
  registerIssuers(hcpx, context);
  registerWebhooks(hcpx, context);
  registerTenants(hcpx, context);
  registerRootKey(hcpx, context);
  registerAdopt(hcpx, context);
  registerMcp(hcpx, context);
  registerDoctor(hcpx, context);
  return hcpx;
}

/** Groups of commands that list when nothing else is asked. */
const LISTS = new Set([
  'agents',
  'approvals',
  'audit',
  'bindings',
  'grants',
  'invitations',
  'issuers',
  'keys',
  'members',
  'projects',
  'providers',
  'roles',
  'runs',
  'sense',
  'sessions',
  'tenants',
  'rules',
  'webhooks',
]);

/** `hcpx runs` and the like list, options included. */
function expand(argv: readonly string[]): string[] {
  const at = leadingOptions(argv);
  const [first, second] = argv.slice(at);
  const bare = second === undefined || (second.startsWith('-') && second !== '--help' && second !== '-h');
  return first !== undefined && LISTS.has(first) && bare
    ? [...argv.slice(0, at), first, 'list', ...argv.slice(at + 1)]
    : [...argv];
}

const namesOf = (command: Command): string[] => command.commands.map((each) => each.name());

/** An unknown word of a group is an error also with `--help`, which would show the group's help and succeed. */
function refuseUnknown(hcpx: Command, argv: readonly string[]): void {
  const at = leadingOptions(argv);
  const [first, second] = argv.slice(at);
  const group = hcpx.commands.find((each) => each.name() === first && each.commands.length > 0);
  if (group === undefined || second === undefined || second.startsWith('-') || second === 'help') return;
  const names = namesOf(group);
  if (names.includes(second)) return;
  const meant = didYouMean(second, names);
  throw usage(`unknown command of hcpx ${group.name()}: ${second}`, `${meant}It has: ${names.join(', ')}.`);
}

/** Known before the words are parsed, so that a parse error too is JSON. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

function report(context: Context, error: unknown, json: boolean): number {
  const { ui, io } = context;
  if (error instanceof CommanderError) {
    // Commander has said it already.
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  if (io.signal.aborted || (error instanceof Error && error.name === 'AbortError')) return INTERRUPTED;
  const given = { token: io.env.token !== undefined, agent: io.env.agent };
  const failure = error instanceof HcpError ? explain(error, given) : error;
  if (!(failure instanceof Failure)) {
    // A defect of ours. Its message may hold anything, so only its kind is shown.
    ui.note(
      `hcpx failed unexpectedly (${error instanceof Error ? error.name : typeof error}). Please report what you ran.`,
    );
    return EXIT.failure;
  }
  if (json) {
    ui.json({ ok: false, code: failure.code, error: failure.message, hint: failure.hint, details: failure.details });
  } else {
    ui.note(`${ui.style('red', 'error:', 'err')} ${ui.safe(failure.message)}`);
    if (failure.hint !== '') ui.note(ui.safe(failure.hint));
    for (const detail of failure.details) ui.note(`  ${ui.safe(detail)}`);
  }
  return failure.exit_code;
}
