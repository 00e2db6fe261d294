import type { ProviderClient } from '@hcp/contracts';
import { type Command, Option } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { act, given, showList, showOne } from './group.js';
import { leaf, optionsOf } from './leaf.js';

interface CreateOptions extends CommonOptions {
  readonly issuer?: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly revocationEndpoint?: string;
  readonly userinfoEndpoint?: string;
  readonly clientId: string;
  readonly public?: boolean;
  readonly auth?: 'client_secret_basic' | 'client_secret_post';
  readonly scope?: string[];
  readonly grant?: ('authorization_code' | 'client_credentials')[];
}

const fields = (client: ProviderClient): [string, string | null][] => [
  ['provider', client.provider],
  ['id', client.id],
  ['issuer', client.issuer],
  ['token endpoint', client.token_endpoint],
  ['client id', client.client_id],
  ['scopes', client.scopes.join(' ')],
  ['used for', client.grant_types.join(' ')],
  ['sends back to', client.redirect_uri],
];

/** SPEC B2, P5. The client's secret comes from a prompt or standard input, never from the command line. */
export function registerProviders(program: Command, context: Context): void {
  const providers = program
    .command('providers')
    .description("List, add and remove this installation's OAuth clients of services that packs connect to");

  leaf(providers, 'list', 'List OAuth clients').action(async (_options: unknown, command: Command) => {
    const options = optionsOf(command);
    const { api } = await context.hcp(options);
    await showList(context, options, (query) => api.providers.list(query), {
      head: ['ID', 'PROVIDER', 'ISSUER', 'CLIENT', 'FOR'],
      row: (each) => [
        each.id,
        each.provider,
        each.issuer ?? each.token_endpoint ?? '-',
        each.client_id,
        each.grant_types.join(' '),
      ],
    });
  });

  leaf(providers, 'create <provider>', 'Register a client; asks for its secret, or reads it from standard input')
    .requiredOption('--client-id <id>', 'as the service named it')
    .option('--issuer <url>', 'its endpoints are found beneath')
    .option('--authorization-endpoint <url>', 'where there is no issuer to ask')
    .option('--token-endpoint <url>', 'where there is no issuer to ask')
    .option('--revocation-endpoint <url>', 'where there is no issuer to ask')
    .option('--userinfo-endpoint <url>', 'where there is no issuer to ask')
    .option('--public', 'the client has no secret')
    .addOption(
      new Option('--auth <method>', 'how the secret is sent').choices(['client_secret_basic', 'client_secret_post']),
    )
    .option('--scope <scope...>', 'what is asked for')
    .addOption(
      new Option('--grant <type...>', 'what it is used for').choices(['authorization_code', 'client_credentials']),
    )
    .action(async (provider: string, _options: unknown, command: Command) => {
      const options = optionsOf<CreateOptions>(command);
      const made = await (
        await context.hcp(options)
      ).api.providers.create({
        provider,
        client_id: options.clientId,
        ...given({
          issuer: options.issuer,
          authorization_endpoint: options.authorizationEndpoint,
          token_endpoint: options.tokenEndpoint,
          revocation_endpoint: options.revocationEndpoint,
          userinfo_endpoint: options.userinfoEndpoint,
          token_endpoint_auth_method: options.auth,
          scopes: options.scope,
          grant_types: options.grant,
          client_secret: options.public === true ? undefined : await secretOf(context),
        }),
      });
      showOne(context, options, made, fields(made));
    });

  leaf(providers, 'show <id>', 'Show a client').action(async (id: string, _options: unknown, command: Command) => {
    const options = optionsOf(command);
    const found = await (await context.hcp(options)).api.providers.get(id);
    showOne(context, options, found, fields(found));
  });

  leaf(providers, 'secret <id>', 'Give a client another secret').action(
    async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const { api } = await context.hcp(options);
      const changed = await api.providers.update(id, { client_secret: await secretOf(context) });
      showOne(context, options, changed, fields(changed));
    },
  );

  const remove = 'Remove a client: what was connected through it has to be connected anew';
  act(context, providers, 'delete <id>', remove, ({ api }, id = '') => api.providers.delete(id), 'is removed');
}

async function secretOf({ io }: Context): Promise<string> {
  if (io.interactive) return io.ask('client secret: ', { hidden: true });
  return (await io.readStdin()).replace(/\r?\n$/, '');
}
