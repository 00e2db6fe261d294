import type { CreatedInvitation } from '@hcp/contracts';
import { EXIT } from '@hcp/core';
import { Hcp, HcpError, remote } from '@hcp/sdk';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { Failure, usage } from '../failure.js';
import { act, given, showList, showOne, showSecret } from './group.js';
import { optionalProject } from './names.js';
import { leaf, optionsOf } from './leaf.js';

interface CreateOptions extends CommonOptions {
  readonly role: string;
  readonly project?: string;
}

interface AcceptOptions extends CommonOptions {
  readonly name?: string;
  readonly passwordStdin?: boolean;
}

/** SPEC T5. */
export function registerInvitations(program: Command, context: Context): void {
  const invitations = program.command('invitations').description('Invite people, and accept an invitation');

  leaf(invitations, 'list', 'List invitations').action(async (_options: unknown, command: Command) => {
    const options = optionsOf(command);
    const { api } = await context.hcp(options);
    await showList(context, options, (query) => api.invitations.list(query), {
      head: ['INVITATION', 'EMAIL', 'ROLE', 'PROJECT', 'STATE', 'ENDS'],
      row: (each) => [each.id, each.email, each.role, each.project_id ?? '-', each.state, each.expires_at],
    });
  });

  leaf(invitations, 'create <email>', 'Invite a person')
    .requiredOption('--role <name>', 'what they may do; you must hold all of it')
    .option('--project <id>', 'in this project alone: name or id')
    .action(async (email: string, _options: unknown, command: Command) => {
      const options = optionsOf<CreateOptions>(command);
      const hcp = await context.hcp(options);
      const body = { email, role: options.role, ...given({ project_id: await optionalProject(hcp, options.project) }) };
      showInvitation(context, options, await hcp.api.invitations.create(body));
    });

  leaf(invitations, 'accept [link]', 'Accept an invitation; asks for the link and the password, or reads them')
    .option('--name <name>', 'what you are called')
    .option('--password-stdin', 'read the password from standard input instead of asking')
    .addHelpText(
      'after',
      '\nWithout a link it is asked for; with --password-stdin it is the first line of standard input, the password the second.',
    )
    .action(async (link: string | undefined, _options: unknown, command: Command) =>
      accept(context, link, optionsOf<AcceptOptions>(command)),
    );

  const revoke = 'Make an invitation void';
  act(context, invitations, 'revoke <id>', revoke, ({ api }, id = '') => api.invitations.delete(id), 'is void');
}

/** The link once, where no mail carries it. */
export function showInvitation(context: Context, options: CommonOptions, made: CreatedInvitation): void {
  if (made.link === null) {
    showOne(context, options, made, [
      ['invitation', made.id],
      ['mailed to', made.email],
    ]);
    return;
  }
  const note = `pass this link on to ${context.ui.safe(made.email)}; it is shown this once and good until ${made.expires_at}`;
  showSecret(context, options, made, made.link, note);
}

async function accept(context: Context, given_link: string | undefined, options: AcceptOptions): Promise<void> {
  const { io, ui } = context;
  const piped = options.passwordStdin === true ? await io.readStdin() : null;
  if (!io.interactive && (options.name === undefined || piped === null)) {
    throw usage('there is no terminal to ask on', 'Give --name and --password-stdin.');
  }
  // A link on the command line is kept by the shell, so there is another way to give it.
  const [first = '', ...rest] = (piped ?? '').split(/\r?\n/);
  const by_pipe = given_link === undefined && piped !== null;
  const link = given_link ?? (by_pipe ? first : await io.ask('Link: ', { hidden: true })).trim();
  const [base = '', token] = link.split('#');
  if (token === undefined || !URL.canParse(base)) throw usage('that is no invitation link', 'Give the whole link.');
  const name = options.name ?? (await io.ask('Name: ', { hidden: false })).trim();
  const password =
    piped !== null
      ? (by_pipe ? rest.join('\n') : piped).replace(/\r?\n$/, '')
      : await io.ask('Password: ', { hidden: true });
  const url = base.replace(/\/invitation$/, '');
  const hcp = await Hcp.create({ runtime: remote({ url }) });
  const accepted = await hcp.api.invitations.accept({ token, name, password }).catch((error: unknown) => {
    throw error instanceof HcpError ? refusal(error) : error;
  });
  if (options.json === true) ui.json(accepted);
  else ui.note(`welcome; sign in with: hcpx login --url ${ui.safe(url)} --email ${ui.safe(accepted.email)}`);
}

function refusal(error: HcpError): HcpError | Failure {
  if (error.code !== 'invalid_credentials') return error;
  const password = error.problem?.errors?.some(({ path }) => path === '/password') === true;
  const hint = password
    ? 'Give the password that you have here already.'
    : 'A link is good once, and for a while: ask who invited you for a new invitation.';
  return new Failure(error.message, hint, EXIT.failure, error.code);
}
