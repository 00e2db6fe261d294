import { clientDocumentSchema, MCP_SCOPE, registerClientSchema, type RegisteredClient } from '@hcp/contracts';
import { sql, type Database, type OauthClient, type Tx } from '@hcp/database';
import { v4 as uuidv4 } from 'uuid';
import type { GetJson } from '../oidc/get-json.js';
import { fail, type OAuthFailure, type OAuthOutcome } from './failure.js';
import { badRedirect, redirectPlace } from './redirects.js';

const DAY_MS = 24 * 3600_000;
/** A client that nobody ever let in. */
const UNUSED_MS = 7 * DAY_MS;
/** One that nobody has used for so long. */
const IDLE_MS = 90 * DAY_MS;
/** How long what a document says is believed. */
const DOCUMENT_MS = 3600_000;
/** Clients of the whole installation, so that nobody fills the table. */
const MAX_CLIENTS = 100_000;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NAME = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

const unknownClient = (): OAuthFailure =>
  fail('invalid_client', 'no such client, or no longer; it must register again');

const tooMany = (): OAuthFailure => fail('temporarily_unavailable', 'too many clients are registered');

/**
 * Programs that ask people for access. They register themselves (RFC 7591) or are known by the address of a document
 * about themselves (Client ID Metadata Documents); nothing that they say is proven, and none has a secret.
 */
export class OAuthClients {
  constructor(
    private readonly db: Database,
    private readonly getJson: GetJson,
    private readonly max_clients = MAX_CLIENTS,
  ) {}

  async register(input: unknown): Promise<OAuthOutcome<RegisteredClient>> {
    const parsed = registerClientSchema.safeParse(input);
    if (!parsed.success) {
      const at = parsed.error.issues[0]?.path[0];
      if (at === 'redirect_uris') return fail('invalid_redirect_uri', 'redirect_uris must be 1 to 10 URIs');
      return fail('invalid_client_metadata', 'the body must be a JSON object as RFC 7591 has it');
    }
    const checked = checkClient(parsed.data);
    if (!checked.ok) return checked;
    const { name, redirect_uris } = checked.value;
    const id = uuidv4();
    const created_at = new Date();
    const full = await this.db.global(async (tx) => {
      if (await this.#isFull(tx)) return true;
      const expires_at = new Date(created_at.getTime() + UNUSED_MS);
      await tx.oauthClient.create({ data: { id, name, redirect_uris, created_at, expires_at } });
      return false;
    });
    if (full) return tooMany();
    return {
      ok: true,
      value: {
        client_id: id,
        client_id_issued_at: Math.floor(created_at.getTime() / 1000),
        client_name: name,
        redirect_uris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        scope: MCP_SCOPE,
      },
    };
  }

  /** One that is known already; documents are not read again. */
  async known(client_id: string): Promise<OAuthOutcome<OauthClient>> {
    const row = await this.#row(client_id);
    return row && row.expires_at > new Date() ? { ok: true, value: row } : unknownClient();
  }

  /**
   * The client that asks. A document is read where it is not known or was read too long ago; then not what was known
   * before but what it says now counts.
   * @param beforeReading may throw to keep a document from being read
   */
  async find(client_id: string, beforeReading: () => Promise<void>): Promise<OAuthOutcome<OauthClient>> {
    if (UUID.test(client_id)) return this.known(client_id);
    if (!isDocumentUrl(client_id)) return unknownClient();
    const row = await this.#row(client_id);
    const now = Date.now();
    if (row && row.read_at.getTime() > now - DOCUMENT_MS) return { ok: true, value: row };
    await beforeReading();
    const document = clientDocumentSchema.safeParse(await this.getJson(client_id));
    if (!document.success || document.data.client_id !== client_id) {
      return fail('invalid_client', 'the document of the client cannot be had, or is none of a public client');
    }
    const checked = checkClient(document.data);
    if (!checked.ok) return fail('invalid_client', checked.detail);
    const read_at = new Date(now);
    const said = { ...checked.value, read_at };
    const kept = { ...said, expires_at: row?.expires_at ?? new Date(now + UNUSED_MS) };
    const value = await this.db.global(async (tx) =>
      row === null && (await this.#isFull(tx))
        ? null
        : tx.oauthClient.upsert({ where: { id: client_id }, create: { id: client_id, ...kept }, update: kept }),
    );
    return value ? { ok: true, value } : tooMany();
  }

  /** A host that answers every path with a document makes as many clients as it likes, as registrations do. */
  async #isFull(tx: Tx): Promise<boolean> {
    return (await tx.oauthClient.count()) >= this.max_clients;
  }

  async #row(id: string): Promise<OauthClient | null> {
    return this.db.global((tx) => tx.oauthClient.findUnique({ where: { id } }));
  }
}

/** A person uses the client: it stays for a while. Writes once a day at most. */
export async function keepClient(tx: Tx, client_id: string): Promise<void> {
  await tx.$executeRaw(sql`
    UPDATE oauth_clients SET expires_at = ${new Date(Date.now() + IDLE_MS)}
    WHERE id = ${client_id} AND expires_at < ${new Date(Date.now() + IDLE_MS - DAY_MS)}`);
}

function checkClient(said: {
  readonly client_name?: string | undefined;
  readonly redirect_uris: readonly string[];
}): OAuthOutcome<{ name: string; redirect_uris: string[] }> {
  const redirect_uris = [...new Set(said.redirect_uris)];
  for (const uri of redirect_uris) {
    const wrong = badRedirect(uri);
    if (wrong !== null) return fail('invalid_redirect_uri', `a redirect URI ${wrong}`);
  }
  const name = said.client_name?.trim() || redirectPlace(redirect_uris[0] ?? '');
  if (!NAME.test(name)) return fail('invalid_client_metadata', 'client_name must be one line of 1 to 100 characters');
  return { ok: true, value: { name, redirect_uris } };
}

/** An address with a path of its own; plain http is refused where it is read, unless the operator lists the host. */
function isDocumentUrl(text: string): boolean {
  if (text.length > 500 || badRedirect(text.replace(/^http:/, 'https:')) !== null) return false;
  const { protocol, pathname, href } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && pathname !== '/' && href === text;
}
