import type { CreateOidcIssuer, OidcIssuer as OidcIssuerAnswer, PageQuery, UpdateOidcIssuer } from '@hcp/contracts';
import { BUILTIN_ROLES, type Caller } from '@hcp/core';
import { isUniqueViolation, type Database, type OidcIssuer, type Tx } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { TOKEN_ALGORITHMS } from '../keys/signing-keys.js';
import { done, refuse, unknownThing, type Outcome, type Refusal } from '../outcome.js';
import { badCursor, pageById, type PageResult } from '../page.js';
import { recordRightsChange } from '../rights/changes.js';
import { may, missing, refuseUnless, refuseWider } from '../rights/rights.js';
import { roleGrantsByName } from '../rights/role-names.js';
import type { IssuerKeys } from './issuer-keys.js';
import { issuerKey } from './lookup-key.js';

export interface IssuerDeps {
  readonly db: Database;
  readonly keys: IssuerKeys;
  /** `iss` of our own tokens, which nobody registers. */
  readonly own_issuer: string;
}

const MAX_ISSUERS = 20;

/** An audience that names a tenant is that tenant's alone, so that nobody can take it before. */
const RESERVED = 'urn:hcp:tenant:';
export const ownAudience = (tenant_id: string): string => `${RESERVED}${tenant_id}`;

/**
 * Registers an identity provider. The pair of issuer and audience must be free among all tenants; that it is not tells
 * nothing of who has it. The issuer must answer with its keys.
 */
export async function createOidcIssuer(
  { db, keys, own_issuer }: IssuerDeps,
  caller: Caller,
  input: CreateOidcIssuer,
): Promise<Outcome<OidcIssuerAnswer>> {
  const refusal = refuseUnless(caller, 'tenant.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const { issuer, audience = ownAudience(tenant_id) } = input;
  if (issuer.replace(/\/$/, '') === own_issuer.replace(/\/$/, '')) return badField('/issuer', 'is this API itself');
  if (audience.toLowerCase().startsWith(RESERVED) && audience !== ownAudience(tenant_id)) {
    return badField('/audience', 'must name this tenant where it names one');
  }
  const wanted = {
    algorithms: [...new Set(input.algorithms ?? TOKEN_ALGORITHMS)],
    kind: input.kind ?? 'human',
    subject_claim: input.subject_claim ?? 'sub',
    email_claim: input.email_claim ?? null,
    jit: input.jit ?? false,
    jit_role: input.jit_role ?? null,
    interactive: input.interactive ?? false,
  };
  const bad = await db.tenant(tenant_id, (tx) => refuseSettings(tx, caller, wanted));
  if (bad) return bad;
  if (!(await keys.reachable(issuer))) {
    return badField('/issuer', 'does not answer with a discovery document that names it and with keys');
  }
  try {
    return await db.tenant(tenant_id, async (tx): Promise<Outcome<OidcIssuerAnswer>> => {
      const gone = await refuseSettings(tx, caller, wanted);
      if (gone) return gone;
      if ((await tx.oidcIssuer.count({ where: { tenant_id } })) >= MAX_ISSUERS) {
        return refuse('conflict', `a tenant has at most ${MAX_ISSUERS} identity providers`);
      }
      const lookup_key = issuerKey(issuer, audience);
      const row = await tx.oidcIssuer.create({
        data: { tenant_id, id: uuidv7(), issuer, audience, lookup_key, ...wanted, created_by: caller.principal.id },
      });
      await record(tx, caller, 'oidc_issuer.create', row);
      return done(answer(row));
    });
  } catch (error) {
    if (isUniqueViolation(error)) {
      return refuse('conflict', 'this pair of issuer and audience cannot be registered', { path: '/audience' });
    }
    throw error;
  }
}

export async function listOidcIssuers(
  db: Database,
  caller: Caller,
  query: PageQuery,
): Promise<Outcome<PageResult<OidcIssuerAnswer>>> {
  const refusal = refuseUnless(caller, 'tenant.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const page = await db.tenant(tenant_id, (tx) =>
    pageById(
      query,
      ({ after, take }) =>
        tx.oidcIssuer.findMany({ where: { tenant_id, id: { gt: after } }, orderBy: { id: 'asc' }, take }),
      answer,
    ),
  );
  return page ? done(page) : badCursor();
}

export async function getOidcIssuer(db: Database, caller: Caller, id: string): Promise<Outcome<OidcIssuerAnswer>> {
  const refusal = refuseUnless(caller, 'tenant.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  const row = await db.tenant(tenant_id, (tx) =>
    tx.oidcIssuer.findUnique({ where: { tenant_id_id: { tenant_id, id } } }),
  );
  return row ? done(answer(row)) : unknownThing();
}

/** Changes how its tokens are used, from the next call on; issuer and audience stay. */
export async function updateOidcIssuer(
  db: Database,
  caller: Caller,
  id: string,
  input: UpdateOidcIssuer,
): Promise<Outcome<OidcIssuerAnswer>> {
  const refusal = refuseUnless(caller, 'tenant.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<OidcIssuerAnswer>> => {
    const where = { tenant_id_id: { tenant_id, id } };
    const row = await tx.oidcIssuer.findUnique({ where });
    if (!row) return unknownThing();
    const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
    const wanted = { ...row, ...(given as Partial<OidcIssuer>) };
    if (input.jit === false && input.jit_role === undefined) wanted.jit_role = null;
    const bad = await refuseSettings(tx, caller, wanted);
    if (bad) return bad;
    const { algorithms, email_claim, jit, jit_role, interactive } = wanted;
    const changed = await tx.oidcIssuer.update({
      where,
      data: { algorithms: [...new Set(algorithms)], email_claim, jit, jit_role, interactive },
    });
    // What is open keeps no more than what the issuer now vouches for; what becomes interactive is opened anew.
    if (!interactive) {
      await tx.session.updateMany({ where: { tenant_id, issuer_id: id }, data: { interactive: false } });
    }
    await record(tx, caller, 'oidc_issuer.update', changed);
    return done(answer(changed));
  });
}

/** Its tokens are refused from the next call on everywhere; principals that came by it stay, without a way in. */
export async function deleteOidcIssuer(db: Database, caller: Caller, id: string): Promise<Outcome<null>> {
  const refusal = refuseUnless(caller, 'tenant.manage');
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Outcome<null>> => {
    const row = await tx.oidcIssuer.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    if (!row) return unknownThing();
    await tx.session.updateMany({
      where: { tenant_id, issuer_id: id, revoked_at: null },
      data: { revoked_at: new Date() },
    });
    await tx.oidcIssuer.deleteMany({ where: { tenant_id, id } });
    await record(tx, caller, 'oidc_issuer.delete', row);
    return done(null);
  });
}

type Settings = Pick<OidcIssuer, 'kind' | 'jit' | 'jit_role' | 'interactive'>;

/** An issuer makes principals and gives them a role: so whoever sets that up could do both by hand (SPEC G5). */
async function refuseSettings(tx: Tx, caller: Caller, settings: Settings): Promise<Refusal | null> {
  const { kind, jit, jit_role, interactive } = settings;
  if (jit && !may(caller, 'access.manage')) return missing('access.manage');
  if (jit_role !== null) {
    if (!jit) return badField('/jit_role', 'needs jit');
    const grants = await roleGrantsByName(tx, caller.tenant_id, jit_role);
    if (!grants) return badField('/jit_role', 'is no role of this tenant');
    const wider = refuseWider(caller, grants, '/jit_role');
    if (wider) return wider;
  }
  if (!interactive) return null;
  if (kind !== 'human') return badField('/interactive', 'is for issuers of people');
  // An interactive session is where a person's yes counts (SPEC A5), so only an owner who sits there vouches for it.
  if (!caller.session.interactive) return refuse('forbidden', 'only a person who signed in may vouch for that');
  return refuseWider(caller, BUILTIN_ROLES['owner'] ?? [], '/interactive');
}

const badField = (path: string, detail: string): Refusal => refuse('invalid_request', detail, { path });

async function record(tx: Tx, caller: Caller, action: string, row: OidcIssuer): Promise<void> {
  const { issuer, audience, algorithms, kind, jit, jit_role, interactive } = row;
  const details = { issuer, audience, algorithms, kind, jit, jit_role, interactive };
  await recordRightsChange(tx, caller, { action, subject: `oidc_issuer:${row.id}`, details });
}

const answer = (row: OidcIssuer): OidcIssuerAnswer => ({
  id: row.id,
  issuer: row.issuer,
  audience: row.audience,
  algorithms: row.algorithms as OidcIssuerAnswer['algorithms'],
  kind: row.kind as OidcIssuerAnswer['kind'],
  subject_claim: row.subject_claim,
  email_claim: row.email_claim,
  jit: row.jit,
  jit_role: row.jit_role,
  interactive: row.interactive,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
});
