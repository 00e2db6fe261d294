import { MCP_SCOPE, type OAuthTokens } from '@hcp/contracts';
import { appendAudit } from '@hcp/audit';
import type { Database, OauthCode, Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { addRefreshToken, endSession, rotate, type OpenSession } from '../auth/refresh-tokens.js';
import { bumpEpoch } from '../rights/changes.js';
import { SESSION_MS } from '../sessions/session-life.js';
import type { AccessTokens } from '../tokens/access-tokens.js';
import { parseSecret, secretMatches } from '../tokens/secrets.js';
import { isResource, wrongResource } from './authorization.js';
import { keepClient, type OAuthClients } from './clients.js';
import { standsSince } from './consents.js';
import { badGrant, fail, type OAuthOutcome } from './failure.js';
import { verifierFits } from './pkce.js';

/** What a form sent. */
type Form = Readonly<Record<string, string | undefined>>;

/** Codes and refresh tokens of MCP clients become tokens that are good at /mcp alone (SPEC I2). */
export class OAuthGrants {
  constructor(
    private readonly db: Database,
    private readonly clients: OAuthClients,
    private readonly tokens: AccessTokens,
  ) {}

  async token(form: Form): Promise<OAuthOutcome<OAuthTokens>> {
    const { grant_type } = form;
    const client = await this.#client(form);
    if (!client.ok) return client;
    if (form['resource'] !== undefined && !isResource(form['resource'], this.tokens.mcp_resource)) {
      return wrongResource();
    }
    if (grant_type === 'authorization_code') return this.#exchange(form, client.value);
    if (grant_type === 'refresh_token') return this.#refresh(form['refresh_token'], client.value);
    return fail('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  }

  /** Ends the session of a refresh or access token. One that is not good, or another client's, is nothing to revoke. */
  async revoke(form: Form): Promise<OAuthOutcome<null>> {
    const client = await this.#client(form);
    if (!client.ok) return client;
    const { token } = form;
    if (token === undefined) return fail('invalid_request', 'token is missing');
    const found = await this.#sessionOf(token);
    if (found) await this.db.tenant(found.tenant_id, (tx) => endGrant(tx, found, client.value, 'oauth.revoke'));
    return { ok: true, value: null };
  }

  /** Public clients only: one that proves itself by a secret was given none by us. */
  async #client(form: Form): Promise<OAuthOutcome<string>> {
    const { client_id } = form;
    if (client_id === undefined || form['client_secret'] !== undefined || form['client_assertion'] !== undefined) {
      return fail('invalid_client', 'clients send their client_id, and no secret');
    }
    const known = await this.clients.known(client_id);
    return known.ok ? { ok: true, value: known.value.id } : known;
  }

  async #exchange(form: Form, client_id: string): Promise<OAuthOutcome<OAuthTokens>> {
    const parsed = parseSecret('hcpc', form['code'] ?? '');
    if (!parsed) return badGrant();
    const { id, secret } = parsed;
    const found = await this.db.lookup(id, (tx) =>
      tx.oauthCode.findUnique({ where: { id }, select: { tenant_id: true } }),
    );
    if (!found) return badGrant();
    const opened = await this.db.tenant(found.tenant_id, async (tx) => {
      const code = await tx.oauthCode.findUnique({ where: { id } });
      if (!code || !secretMatches(secret, code.secret_hash)) return null;
      if (!(await useUp(tx, code))) return null;
      // Tried once, whoever tried: a code that somebody else has in hand is good for nobody.
      const mine = code.client_id === client_id && (form['redirect_uri'] ?? code.redirect_uri) === code.redirect_uri;
      if (!mine || !verifierFits(code.code_challenge, form['code_verifier'])) return null;
      if (!(await standsSince(tx, code.tenant_id, code.principal_id, code.signed_in_at))) return null;
      return openGrant(tx, code);
    });
    return opened ? this.#issue(opened, client_id) : badGrant();
  }

  async #refresh(refresh_token: string | undefined, client_id: string): Promise<OAuthOutcome<OAuthTokens>> {
    const parsed = parseSecret('hcpo', refresh_token ?? '');
    if (!parsed) return badGrant();
    const found = await this.db.lookup(parsed.id, (tx) =>
      tx.refreshToken.findUnique({ where: { id: parsed.id }, select: { tenant_id: true } }),
    );
    if (!found) return badGrant();
    const { tenant_id } = found;
    const session = await this.db.tenant(tenant_id, async (tx) => {
      const rotated = await rotate(tx, { tenant_id, ...parsed, client_id });
      if (!rotated) return null;
      await keepClient(tx, client_id);
      await audit(tx, 'oauth.refresh', rotated, { client_id });
      return rotated;
    });
    return session ? this.#issue(session, client_id) : badGrant();
  }

  async #issue(session: OpenSession, client_id: string): Promise<OAuthOutcome<OAuthTokens>> {
    const { tenant_id, session_id, principal_id, ends, refresh_token } = session;
    const issued = await this.tokens.issue({ tenant_id, session_id, principal_id, client_id }, ends);
    return { ok: true, value: { ...issued, token_type: 'Bearer', refresh_token, scope: MCP_SCOPE } };
  }

  async #sessionOf(token: string): Promise<{ tenant_id: string; session_id: string } | null> {
    const parsed = parseSecret('hcpo', token);
    if (!parsed) return this.tokens.verify(token, [this.tokens.mcp_resource]);
    const { id, secret } = parsed;
    const row = await this.db.lookup(id, (tx) => tx.refreshToken.findUnique({ where: { id } }));
    return row && secretMatches(secret, row.secret_hash) ? row : null;
  }
}

/** False where the code is over, or was used: then what came of it ends, because one of the two who had it is a thief. */
async function useUp(tx: Tx, { tenant_id, id, client_id }: OauthCode): Promise<boolean> {
  const { count } = await tx.oauthCode.updateMany({
    where: { tenant_id, id, used_at: null, expires_at: { gt: new Date() } },
    data: { used_at: new Date() },
  });
  if (count > 0) return true;
  const code = await tx.oauthCode.findUnique({ where: { id }, select: { session_id: true } });
  const session_id = code?.session_id ?? null;
  if (session_id !== null) await endGrant(tx, { tenant_id, session_id }, client_id, 'oauth.code_reuse');
  return false;
}

async function openGrant(tx: Tx, code: OauthCode): Promise<OpenSession> {
  const { tenant_id, id, principal_id, client_id, client_name } = code;
  const session_id = uuidv7();
  const ends = new Date(Date.now() + SESSION_MS);
  const fields = { principal_id, client_id, client_name, kind: 'default', interactive: false, packs: [] };
  await tx.session.create({ data: { tenant_id, id: session_id, ...fields, expires_at: ends } });
  await tx.oauthCode.updateMany({ where: { tenant_id, id }, data: { session_id } });
  const refresh_token = await addRefreshToken(tx, 'hcpo', { tenant_id, session_id, ends });
  const opened = { tenant_id, session_id, principal_id, ends, refresh_token };
  await audit(tx, 'oauth.token', opened, { client_id, client_name });
  return opened;
}

async function endGrant(
  tx: Tx,
  { tenant_id, session_id: id }: { readonly tenant_id: string; readonly session_id: string },
  client_id: string,
  action: string,
): Promise<void> {
  const session = await tx.session.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
  if (session?.client_id !== client_id || session.revoked_at !== null) return;
  await endSession(tx, tenant_id, id);
  await bumpEpoch(tx, tenant_id);
  const { principal_id } = session;
  await audit(tx, action, { tenant_id, session_id: id, principal_id }, { client_id, session_revoked: true });
}

/** What a client does is an agent's doing, in the name of the person. */
async function audit(
  tx: Tx,
  action: string,
  { tenant_id, session_id, principal_id }: Pick<OpenSession, 'tenant_id' | 'session_id' | 'principal_id'>,
  details: Readonly<Record<string, string | boolean>>,
): Promise<void> {
  await appendAudit(tx, {
    tenant_id,
    action,
    principal_id,
    principal_kind: 'agent',
    session_id,
    decision: 'allow',
    subject: `session:${session_id}`,
    details,
  });
}
