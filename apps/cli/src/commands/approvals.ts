import { items } from '@hcp/sdk';
import type { Approval, ListApprovalsQuery } from '@hcp/contracts';
import { APPROVAL_STATES, EXIT, exitCodeFor, type ApprovalState } from '@hcp/core';
import { type Command, Option } from 'commander';
import { argsFromPairs } from '../args/pairs.js';
import type { CommonOptions, Context } from '../context.js';
import { usage } from '../failure.js';
import { showCard } from '../ui/card.js';
import { askedBy, showFacts, whatAsked, yesCount } from './approval-text.js';
import { leaf, optionsOf } from './leaf.js';
import { peopleOnly } from './people-only.js';

interface ListOptions extends CommonOptions {
  readonly state: ApprovalState | 'all';
}

interface DecideOptions extends CommonOptions {
  readonly reason?: string;
  readonly forSession?: boolean;
  readonly yes?: boolean;
}

/** A person's yes to one exact call (SPEC V), and the card alone (SPEC C6). */
export function registerApprovals(program: Command, context: Context): void {
  const approvals = program.command('approvals').description('List and show requests that wait for a person');
  leaf(approvals, 'list', 'List requests, newest first; those that wait unless said otherwise')
    .addOption(new Option('--state <state>', 'in one state').choices([...APPROVAL_STATES, 'all']).default('pending'))
    .action(async (_options: unknown, command: Command) => list(context, optionsOf<ListOptions>(command)));
  leaf(approvals, 'show <id>', 'Show a request with its card').action(
    async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const found = await (await context.hcp(options)).api.approvals.get(id, { full: true });
      if (options.json === true) context.ui.json(found);
      else showRequest(context, found);
    },
  );

  leaf(program, 'approve <id>', 'Say yes to one exact call, once')
    .option('--reason <text>', 'why, where the tenant wants to know')
    .option('--for-session', 'and to its like, until the session of who asked ends')
    .option('-y, --yes', 'without the question that a terminal is asked')
    .action(async (id: string, _options: unknown, command: Command) =>
      approve(context, id, optionsOf<DecideOptions>(command)),
    );
  leaf(program, 'reject <id>', 'Say no')
    .option('--reason <text>', 'why')
    .action(async (id: string, _options: unknown, command: Command) =>
      reject(context, id, optionsOf<DecideOptions>(command)),
    );

  leaf(program, 'preview <pack> <verb> [key=value...]', 'Show the card of a call; nothing runs')
    .addHelpText('after', '\n  hcpx preview ledger transfer -- amount=2.80 payee=demo-transit')
    .action(async (pack_id: string, verb_key: string, words: string[], _options: unknown, command: Command) =>
      preview(context, { pack_id, verb_key, args: argsFromPairs(words) }, optionsOf(command)),
    );
}

async function list(context: Context, { state, ...options }: ListOptions): Promise<void> {
  const { api } = await context.hcp(options);
  const filter: ListApprovalsQuery = state === 'all' ? {} : { state };
  const all: Approval[] = [];
  for await (const each of items((query) => api.approvals.list({ ...filter, ...query }))) all.push(each);
  if (options.json === true) {
    context.ui.json(all);
    return;
  }
  context.ui.table(
    ['APPROVAL', 'STATE', 'COMMAND', 'WHAT', 'WHO', 'UNTIL'],
    all.map((each) => [
      each.id,
      each.state,
      `${each.pack_id}.${each.verb_key}`,
      whatAsked(each),
      askedBy(each),
      each.use_expires_at ?? each.pending_expires_at,
    ]),
  );
}

function showRequest({ ui }: Context, found: Approval): void {
  if (found.card) {
    showCard(ui, found.card);
    ui.line('');
  }
  showFacts(ui, found);
}

/** The card first, and who asks: the yes is to what was on the screen, by its digest (SPEC V4). */
async function approve(context: Context, id: string, options: DecideOptions): Promise<void> {
  peopleOnly(context);
  const { ui, io } = context;
  const { api } = await context.hcp(options);
  const seen = await api.approvals.get(id, { full: true });
  if (options.forSession === true && !isOffered(seen)) {
    throw usage(
      '--for-session is not offered for this request: no session that ends, or each such call is to be asked about',
      `Leave it out: hcpx approve ${seen.id} says yes once.`,
    );
  }
  if (options.json !== true) {
    showRequest(context, seen);
    ui.line('');
    const asks = io.interactive && options.yes !== true && seen.state === 'pending';
    if (asks && !(await saysYes(context))) {
      ui.note(`nothing was said; the request still waits. To say no: hcpx reject ${ui.safe(id)}`);
      context.exit_code = EXIT.failure;
      return;
    }
  }
  const done = await api.approvals.approve(id, {
    ...(seen.card_digest === null ? {} : { card_digest: seen.card_digest }),
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    ...(options.forSession === true ? { option: 'allow_session' as const } : {}),
  });
  if (options.json === true) ui.json(done);
  else ui.note(`${ui.style('green', '✓', 'err')} ${ui.safe(afterYes(done, yesCount(done) === yesCount(seen)))}`);
}

const isOffered = ({ card }: Approval): boolean => card?.options.some(({ kind }) => kind === 'allow_session') ?? true;

async function saysYes({ io }: Context): Promise<boolean> {
  return /^y(es)?$/i.test((await io.ask('Say yes to exactly this? [y/N] ', { hidden: false })).trim());
}

/** @param again the same person said yes before */
function afterYes(done: Approval, again: boolean): string {
  const { state, approvers, run_id, use_expires_at, run_on_approve } = done;
  if (state === 'pending') {
    const so_far = `${yesCount(done)} of ${approvers} so far`;
    return again ? `you said yes before; ${so_far}, another person has to` : `your yes counts; ${so_far}`;
  }
  if (run_on_approve) return run_id === null ? 'approved; it could not be started' : `approved; run ${run_id} started`;
  return `approved: one run of exactly this until ${use_expires_at ?? ''}; who asked sends it again unchanged`;
}

async function reject(context: Context, id: string, options: DecideOptions): Promise<void> {
  peopleOnly(context);
  const { api } = await context.hcp(options);
  const done = await api.approvals.reject(id, options.reason === undefined ? {} : { reason: options.reason });
  if (options.json === true) context.ui.json(done);
  else context.ui.note(`approval ${context.ui.safe(done.id)} is rejected`);
}

async function preview(
  context: Context,
  call: { pack_id: string; verb_key: string; args: Record<string, unknown> },
  options: CommonOptions,
): Promise<void> {
  const { ui } = context;
  const answer = await (await context.hcp(options)).api.preview(call);
  if (answer.decision === 'deny') context.exit_code = exitCodeFor({ ok: false, code: answer.code ?? undefined });
  if (options.json === true) ui.json(answer);
  else if (answer.card) showCard(ui, answer.card);
  else {
    ui.note(ui.style('red', ui.safe(`${answer.code ?? 'denied'}: ${answer.error ?? ''}`), 'err'));
    if (answer.hint !== null) ui.note(`what to do: ${ui.safe(answer.hint)}`);
  }
}
