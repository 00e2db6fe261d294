import type { OidcIssuer } from '@hcp/contracts';
import { type Command, Option } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { act, given, showList, showOne } from './group.js';
import { leaf, optionsOf } from './leaf.js';

interface SettingOptions extends CommonOptions {
  readonly algorithm?: ('RS256' | 'ES256' | 'EdDSA')[];
  readonly emailClaim?: string;
  readonly jit?: boolean;
  readonly jitRole?: string;
  readonly interactive?: boolean;
}

interface CreateOptions extends SettingOptions {
  readonly audience?: string;
  readonly kind?: 'human' | 'agent' | 'service';
  readonly subjectClaim?: string;
}

const fields = (issuer: OidcIssuer): [string, string | null][] => [
  ['issuer', issuer.issuer],
  ['audience', issuer.audience],
  ['id', issuer.id],
  ['subjects', `${issuer.kind}, by ${issuer.subject_claim}`],
  ['algorithms', issuer.algorithms.join(' ')],
  ['makes principals', issuer.jit ? `yes, with role ${issuer.jit_role ?? '(none)'}` : 'no'],
  ['interactive', issuer.interactive ? 'yes' : 'no'],
];

const settings = (options: SettingOptions) =>
  given({
    algorithms: options.algorithm,
    email_claim: options.emailClaim,
    jit: options.jit,
    jit_role: options.jitRole,
    interactive: options.interactive,
  });

function withSettings(command: Command): Command {
  return command
    .addOption(
      new Option('--algorithm <name...>', 'what tokens may be signed with').choices(['RS256', 'ES256', 'EdDSA']),
    )
    .option('--email-claim <name>', 'claim that is shown as the email address')
    .option('--jit', 'make a principal when a subject first comes')
    .option('--no-jit', 'refuse subjects that were not linked')
    .option('--jit-role <role>', 'role of principals made so')
    .option('--interactive', 'its tokens prove that a person sits there')
    .option('--no-interactive', 'they do not');
}

/** SPEC T5. */
export function registerIssuers(program: Command, context: Context): void {
  const issuers = program.command('issuers').description('List, add and remove identity providers (OpenID Connect)');

  leaf(issuers, 'list', 'List identity providers').action(async (_options: unknown, command: Command) => {
    const options = optionsOf(command);
    const { api } = await context.hcp(options);
    await showList(context, options, (query) => api.oidcIssuers.list(query), {
      head: ['ID', 'ISSUER', 'AUDIENCE', 'KIND', 'JIT'],
      row: (each) => [each.id, each.issuer, each.audience, each.kind, each.jit ? (each.jit_role ?? 'yes') : 'no'],
    });
  });

  withSettings(leaf(issuers, 'create <url>', 'Take the tokens of an identity provider'))
    .option('--audience <text>', 'aud of its tokens (default: urn:hcp:tenant:<tenant id>)')
    .addOption(new Option('--kind <kind>', 'what its subjects are').choices(['human', 'agent', 'service']))
    .option('--subject-claim <name>', 'claim that names the subject (default: sub)')
    .action(async (issuer: string, _options: unknown, command: Command) => {
      const options = optionsOf<CreateOptions>(command);
      const { audience, kind, subjectClaim: subject_claim } = options;
      const body = { issuer, ...given({ audience, kind, subject_claim }), ...settings(options) };
      const made = await (await context.hcp(options)).api.oidcIssuers.create(body);
      showOne(context, options, made, fields(made));
    });

  leaf(issuers, 'show <id>', 'Show an identity provider').action(
    async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const found = await (await context.hcp(options)).api.oidcIssuers.get(id);
      showOne(context, options, found, fields(found));
    },
  );

  withSettings(leaf(issuers, 'update <id>', 'Change how it is used; what is left out stays')).action(
    async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf<SettingOptions>(command);
      const changed = await (await context.hcp(options)).api.oidcIssuers.update(id, settings(options));
      showOne(context, options, changed, fields(changed));
    },
  );

  leaf(issuers, 'link <id> <subject>', 'Say that a subject is you, or an agent or service')
    .option('--principal <id>', 'an agent or service')
    .action(async (id: string, subject: string, _options: unknown, command: Command) => {
      const options = optionsOf<CommonOptions & { principal?: string }>(command);
      const body = { subject, ...given({ principal_id: options.principal }) };
      await (await context.hcp(options)).api.oidcIssuers.link(id, body);
      if (options.json === true) context.ui.json({ ok: true, id });
      else context.ui.note(`${context.ui.safe(subject)} is linked`);
    });

  const remove = 'Refuse its tokens from the next call on';
  act(context, issuers, 'delete <id>', remove, ({ api }, id = '') => api.oidcIssuers.delete(id), 'is removed');
}
