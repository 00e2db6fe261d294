import type { Me } from '@hcp/contracts';
import { Hcp, HcpError, remote } from '@hcp/sdk';
import type { Command } from 'commander';
import { type CommonOptions, type Context, normalUrl } from '../context.js';
import { Failure, usage } from '../failure.js';
import type { Credential } from '../store/hosts.js';
import { fromTokens } from '../store/tokens.js';
import { leaf, optionsOf } from './leaf.js';

interface Options extends CommonOptions {
  readonly email?: string;
  readonly passwordStdin?: boolean;
  readonly token?: string;
  readonly tenant?: string;
}

export function registerLogin(program: Command, context: Context): void {
  leaf(program, 'login', 'Sign in, with a password or an API key')
    .option('--email <email>', 'who you are')
    .option('--password-stdin', 'read the password from standard input instead of asking')
    .option('--token <key>', 'use an API key; - reads it from standard input, which keeps it out of the shell history')
    .option('--tenant <id>', 'which tenant, where you belong to several')
    .action(async (_options: unknown, command: Command) => login(context, optionsOf<Options>(command)));

  leaf(program, 'logout', 'End the session and forget its credentials').action(
    async (_options: unknown, command: Command) => logout(context, optionsOf(command)),
  );

  leaf(program, 'whoami', 'Show who you are and what you may do').action(
    async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const me = await (await context.hcp(options)).api.auth.me();
      if (options.json === true) context.ui.json(me);
      else showMe(context, me);
    },
  );
}

async function login(context: Context, options: Options): Promise<void> {
  const { ui, io } = context;
  const given = options.url ?? io.env.url ?? (await context.store.read()).current;
  if (given === null) throw usage('no API address', 'Run hcpx login --url https://…');
  const url = normalUrl(given);
  if (options.token !== undefined && (options.email !== undefined || options.passwordStdin === true)) {
    throw usage('--token and a password exclude each other', 'Give one of them.');
  }
  const credential =
    options.token === undefined ? await byPassword(context, url, options) : await byKey(context, options.token);
  const token = credential.kind === 'api_key' ? credential.key : credential.access_token;
  const hcp = await Hcp.create({ runtime: remote({ url, token, agent: io.env.agent }) });
  // Before anything is stored: a wrong key must not replace a good one.
  const me = await hcp.api.auth.me().catch((error: unknown) => {
    if (options.token === undefined || !(error instanceof HcpError) || error.status !== 401) throw error;
    throw new Failure(
      'the API refused this key',
      'Give a key that is whole and not revoked; hcpx keys create makes one.',
    );
  });
  await context.store.locked(async (hosts, save) =>
    save({ ...hosts, current: url, hosts: { ...hosts.hosts, [url]: credential } }),
  );
  if (options.json === true) ui.json({ ok: true, url, principal: me.principal, tenant: me.tenant });
  else {
    ui.note(
      `${ui.style('green', '✓', 'err')} signed in to ${url} as ${ui.safe(me.principal.name)} (${ui.safe(me.tenant.name)})`,
    );
    if (io.env.token !== undefined) ui.note('HCP_TOKEN is set and wins over it; unset it to use this sign-in.');
  }
}

async function byPassword(context: Context, url: string, options: Options): Promise<Credential> {
  const { io } = context;
  if (!io.interactive && (options.email === undefined || options.passwordStdin !== true)) {
    throw usage('there is no terminal to ask on', 'Give --email and --password-stdin, or --token.');
  }
  const email = options.email ?? (await io.ask('Email: ', { hidden: false })).trim();
  const password =
    options.passwordStdin === true
      ? (await io.readStdin()).replace(/\r?\n$/, '')
      : await io.ask('Password: ', { hidden: true });
  if (email === '') throw usage('the email is empty', 'Give --email, or type it when asked.');
  if (password === '') {
    throw usage('the password is empty', 'Type it when asked, or pipe it in with --password-stdin.');
  }
  const hcp = await Hcp.create({ runtime: remote({ url }) });
  const tenant = options.tenant === undefined ? {} : { tenant_id: options.tenant };
  return fromTokens(await hcp.api.auth.token({ email, password, ...tenant }), email, io.now());
}

async function byKey(context: Context, token: string): Promise<Credential> {
  const key = token === '-' ? (await context.io.readStdin()).trim() : token;
  if (!/^[\x21-\x7e]+$/.test(key)) throw usage('the API key is empty or has characters that no key has');
  return { kind: 'api_key', key };
}

async function logout(context: Context, options: CommonOptions): Promise<void> {
  const { ui } = context;
  const url = await context.url(options);
  const known = (await context.store.read()).hosts[url];
  let ended = false;
  if (known?.kind === 'tokens') {
    // Forgotten here in any case: an API that is down must not keep credentials on this disk.
    const client = await context.hcp({ ...options, url });
    ended = await client.api.auth.logout().then(
      () => true,
      () => false,
    );
  }
  await context.store.locked(async (hosts, save) => {
    const rest = Object.fromEntries(Object.entries(hosts.hosts).filter(([each]) => each !== url));
    await save({
      ...hosts,
      hosts: rest,
      // Kept: who signs in again most often means the same API.
      current: hosts.current,
    });
  });
  if (options.json === true) ui.json({ ok: true, url, session_ended: ended });
  else if (known === undefined) ui.note(`nothing was stored for ${url}`);
  else if (known.kind === 'api_key') ui.note(`forgot the API key for ${url}; it stays valid until someone revokes it`);
  else ui.note(ended ? `signed out of ${url}` : `forgot the credentials for ${url}; the API could not be told`);
}

function agentText(is_agent: boolean, by_env: boolean): string | null {
  if (by_env) return 'yes: HCP_AGENT is set here, so calls count as an agent’s';
  return is_agent ? 'yes: calls count as an agent’s' : null;
}

function showMe({ ui, io }: Context, me: Me): void {
  ui.fields([
    ['principal', `${me.principal.name} (${me.principal.kind}) ${me.principal.id}`],
    ['acts for', me.acts_for],
    ['tenant', `${me.tenant.name} (${me.tenant.slug}) ${me.tenant.id}`],
    ['roles', me.roles.length === 0 ? null : me.roles.join(', ')],
    ['session', `${me.session.id}${me.session.interactive ? ' (interactive)' : ''}`],
    ['project', me.session.project_id],
    ['packs', me.session.packs === null ? 'every active one' : me.session.packs.join(', ')],
    ['ends', me.session.expires_at],
    ['agent', agentText(me.is_agent, io.env.agent)],
  ]);
  for (const [index, layer] of me.grants.entries()) {
    ui.line('');
    ui.line(
      ui.style(
        'bold',
        me.grants.length === 1 ? 'may' : `may, by layer ${index + 1} of ${me.grants.length} (all must agree)`,
      ),
    );
    ui.table(
      ['CAPABILITY', 'PACK', 'COMMANDS', 'PROJECT', 'UNTIL'],
      layer.map((grant) => [
        grant.capability,
        grant.pack_id ?? '*',
        grant.verb_keys?.join(' ') ?? '*',
        grant.project_id ?? '*',
        grant.expires_at ?? '-',
      ]),
    );
  }
}
