import { appendAudit } from '@hcp/audit';
import { sql, type Database, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { auditEverywhere } from '../auth/audit-everywhere.js';
import { checkPassword, noFailureSooner, wrongCredentials } from '../auth/check-password.js';
import { membershipsOf, type Membership } from '../auth/memberships.js';
import { done, type Outcome } from '../outcome.js';
import { mintSecret } from '../tokens/secrets.js';
import type { AuthorizationRequest } from './authorization.js';
import { keepClient } from './clients.js';
import { fail, type OAuthOutcome } from './failure.js';
import { withParameters } from './redirects.js';
import type { Tickets } from './tickets.js';

/** A client comes for its tokens at once. */
const CODE_MS = 60_000;

/** What a person is asked after signing in. */
export interface Question {
  readonly request: AuthorizationRequest;
  /** For the answer. */
  readonly ticket: string;
  readonly tenants: readonly { readonly id: string; readonly name: string }[];
}

/** What a ticket for the consent page holds. */
interface Signed {
  readonly request: AuthorizationRequest;
  /** The id of the code that may come of it, at most one. */
  readonly code_id: string;
  readonly user_id: string;
  /** Milliseconds since 1970. */
  readonly signed_in_at: number;
}

const LOGIN = 'login';
const CONSENT = 'consent';

/** A person signs in for a client and says yes or no (SPEC I2, T5). */
export class OAuthConsents {
  /** @param issuer `iss` of what is sent back to the client (RFC 9207) */
  constructor(
    private readonly db: Database,
    private readonly tickets: Tickets,
    private readonly issuer: string,
  ) {}

  /** For the page that asks for email and password. */
  begin(browser: string, request: AuthorizationRequest): Promise<string> {
    return this.tickets.sign(LOGIN, browser, request);
  }

  /** The request that such a page was given for. */
  opened(browser: string | null, ticket: string | undefined): Promise<AuthorizationRequest | null> {
    return this.tickets.read<AuthorizationRequest>(LOGIN, browser, ticket);
  }

  /** Takes email and password; audited wherever the person belongs, because the tenant is chosen only afterwards. */
  async signIn(
    browser: string,
    request: AuthorizationRequest,
    given: { readonly email: string; readonly password: string },
  ): Promise<Outcome<Question>> {
    return noFailureSooner(async () => {
      const signed_in_at = await this.#now();
      const checked = await checkPassword(this.db, given);
      if (!checked.ok) return checked;
      const { user, memberships } = checked.value;
      if (memberships.length === 0) return wrongCredentials();
      const { client_id, client_name } = request;
      await this.db.global((tx) => auditEverywhere(tx, user.id, 'oauth.sign_in', { client_id, client_name }));
      const signed: Signed = { request, code_id: uuidv7(), user_id: user.id, signed_in_at };
      const ticket = await this.tickets.sign(CONSENT, browser, signed);
      return done({ request, ticket, tenants: tenantsOf(memberships) });
    });
  }

  /** By the database's clock, which says too when a password was reset. */
  async #now(): Promise<number> {
    const rows = await this.db.global((tx) => tx.$queryRaw<{ now: Date }[]>(sql`SELECT clock_timestamp() AS now`));
    return rows[0]?.now.getTime() ?? 0;
  }

  /** The question of such a page once more, for an answer that named no tenant; null where nobody can answer it now. */
  async asked(browser: string | null, ticket: string | undefined): Promise<Question | null> {
    const signed = await this.tickets.read<Signed>(CONSENT, browser, ticket);
    if (!signed || ticket === undefined) return null;
    const tenants = tenantsOf(await membershipsOf(this.db, signed.user_id));
    return tenants.length === 0 ? null : { request: signed.request, ticket, tenants };
  }

  /**
   * Takes the answer.
   * @returns where the browser goes now: back to the client, with a code or with `access_denied`; that as a failure
   *   where no tenant of theirs was chosen
   */
  async answer(
    browser: string | null,
    given: { readonly ticket: string | undefined; readonly tenant_id: string | undefined; readonly yes: boolean },
  ): Promise<OAuthOutcome<string>> {
    const signed = await this.tickets.read<Signed>(CONSENT, browser, given.ticket);
    if (!signed) return overdue();
    const { request, user_id } = signed;
    const memberships = await membershipsOf(this.db, user_id);
    const membership = memberships.find((one) => one.tenant_id === given.tenant_id);
    if (!membership) return fail('access_denied', 'choose one of your tenants');
    const { tenant_id, principal_id } = membership;
    const code = await this.db.tenant(tenant_id, async (tx) => {
      if (!(await standsSince(tx, tenant_id, principal_id, new Date(signed.signed_in_at)))) return null;
      const made = given.yes ? await addCode(tx, signed, membership) : '';
      if (made !== null) await auditAnswer(tx, signed, membership, given.yes);
      return made;
    });
    if (code === null) return overdue();
    const { state, redirect_uri } = request;
    const said = given.yes ? { code } : { error: 'access_denied' };
    return { ok: true, value: withParameters(redirect_uri, { ...said, state, iss: this.issuer }) };
  }
}

const tenantsOf = (memberships: readonly Membership[]): Question['tenants'] =>
  memberships.map(({ tenant_id: id, tenant_name: name }) => ({ id, name }));

const overdue = () => fail('invalid_request', 'this page is no longer good; start again from your program');

/** Null where this sign-in has given a code already. */
async function addCode(
  tx: Tx,
  { request, code_id: id, signed_in_at }: Signed,
  { tenant_id, principal_id }: { readonly tenant_id: string; readonly principal_id: string },
): Promise<string | null> {
  const { token, secret_hash } = mintSecret('hcpc', id);
  const { client_id, client_name, redirect_uri, code_challenge } = request;
  const row = { tenant_id, id, principal_id, client_id, client_name, redirect_uri, code_challenge, secret_hash };
  const expires_at = new Date(Date.now() + CODE_MS);
  const data = [{ ...row, signed_in_at: new Date(signed_in_at), expires_at }];
  const { count } = await tx.oauthCode.createMany({ data, skipDuplicates: true });
  if (count === 0) return null;
  await keepClient(tx, client_id);
  return token;
}

async function auditAnswer(
  tx: Tx,
  { request: { client_id, client_name, redirect_uri } }: Signed,
  { tenant_id, principal_id }: { readonly tenant_id: string; readonly principal_id: string },
  yes: boolean,
): Promise<void> {
  await appendAudit(tx, {
    tenant_id,
    action: 'oauth.consent',
    principal_id,
    principal_kind: 'human',
    decision: yes ? 'allow' : 'deny',
    subject: `principal:${principal_id}`,
    details: { client_id, client_name, redirect_uri },
  });
}

/**
 * Whether who signed in at that instant is still who they were: enabled, in a tenant that is not stopped, the password
 * not reset since. Locked, so that a reset that comes now waits and then ends what comes of this too.
 */
export async function standsSince(tx: Tx, tenant_id: string, principal_id: string, since: Date): Promise<boolean> {
  const rows = await tx.$queryRaw<{ id: string }[]>(sql`
    SELECT p.id FROM principals p JOIN users u ON u.id = p.user_id JOIN tenants t ON t.id = p.tenant_id
    WHERE p.tenant_id = ${tenant_id}::uuid AND p.id = ${principal_id}::uuid AND p.kind = 'human'
      AND p.disabled_at IS NULL AND u.disabled_at IS NULL AND t.stopped_at IS NULL
      AND (u.sessions_valid_from IS NULL OR u.sessions_valid_from < ${since})
    FOR SHARE OF u`);
  return rows.length > 0;
}
