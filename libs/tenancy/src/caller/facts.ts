import { sql, type Tx } from '@hcp/database';

/** One session of a chain: the call's own first, then the ones it was opened from. */
export interface SessionFact {
  readonly id: string;
  readonly principal_id: string;
  readonly interactive: boolean;
  readonly api_key_id: string | null;
  readonly parent_id: string | null;
  readonly project_id: string | null;
  readonly packs: readonly string[];
  readonly narrows_packs: boolean;
  /** Who said that the external token's subject is this principal, where that was somebody else. */
  readonly linked_by: string | null;
  /** The MCP client that it was granted to. */
  readonly client_id: string | null;
  readonly live: boolean;
}

export interface KeyFact {
  readonly id: string;
  readonly principal_id: string;
  /** SHA-256 of the secret, hex. */
  readonly secret_hash: string;
  readonly project_id: string | null;
  readonly grants: unknown;
  /** Who minted it; null: nobody in the tenant. */
  readonly created_by: string | null;
  readonly live: boolean;
}

export interface PersonFact {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly acts_for: string | null;
  readonly disabled: boolean;
}

export interface GrantFact {
  readonly principal_id: string;
  readonly capability: string;
  readonly pack_id: string | null;
  readonly verb_keys: readonly string[];
  readonly project_id: string | null;
  readonly expires_at: string | null;
}

export interface RoleFact {
  readonly principal_id: string;
  readonly role: string;
  readonly project_id: string | null;
  /** Grants of a tenant-defined role; null where the name is no role of the tenant's. */
  readonly grants: unknown;
}

export interface MembershipFact {
  readonly principal_id: string;
  readonly project_id: string;
}

/** Everything a caller is built of, as of one instant. */
export interface CallerFacts {
  readonly tenant: { readonly stopped: boolean; readonly platform: boolean; readonly settings_epoch: bigint } | null;
  /** Empty where the id is no session of this tenant. */
  readonly sessions: readonly SessionFact[];
  /** The key that opened the session, or whose implicit session it is. */
  readonly key: KeyFact | null;
  /** The owner of session or key, the human it acts for, and who made the key or the link for another. */
  readonly people: readonly PersonFact[];
  readonly grants: readonly GrantFact[];
  readonly roles: readonly RoleFact[];
  readonly memberships: readonly MembershipFact[];
}

interface Row {
  stopped: boolean;
  platform: boolean;
  settings_epoch: bigint;
  sessions: SessionFact[] | null;
  key: KeyFact | null;
  people: PersonFact[] | null;
  grants: GrantFact[] | null;
  roles: RoleFact[] | null;
  memberships: MembershipFact[] | null;
}

/** Sessions opened from sessions: no honest client nests deeper. */
export const MAX_SESSION_DEPTH = 8;

/**
 * Reads all facts about whoever a session belongs to in one statement, so that a call costs one round trip and sees one
 * snapshot. Ends of keys and sessions are judged by the database's clock, which all replicas share.
 * @param session_id a session's id, or an API key's for the key's implicit session
 */
export async function readCallerFacts(tx: Tx, tenant_id: string, session_id: string): Promise<CallerFacts> {
  const rows = await tx.$queryRaw<Row[]>(sql`
    WITH RECURSIVE chain AS (
      SELECT s.*, 1 AS depth FROM sessions s WHERE s.tenant_id = ${tenant_id}::uuid AND s.id = ${session_id}::uuid
      UNION ALL
      SELECT s.*, c.depth + 1 FROM sessions s JOIN chain c ON s.tenant_id = c.tenant_id AND s.id = c.parent_id
      WHERE c.depth < ${MAX_SESSION_DEPTH}
    ), key AS (
      SELECT k.* FROM api_keys k
      WHERE k.tenant_id = ${tenant_id}::uuid
        AND k.id = coalesce((SELECT c.api_key_id FROM chain c WHERE c.depth = 1), ${session_id}::uuid)
    ), own AS (
      SELECT p.* FROM principals p
      WHERE p.tenant_id = ${tenant_id}::uuid
        AND p.id = coalesce((SELECT c.principal_id FROM chain c WHERE c.depth = 1), (SELECT k.principal_id FROM key k))
    ), people AS (
      SELECT o.* FROM own o
      UNION
      SELECT h.* FROM principals h JOIN own o ON h.tenant_id = o.tenant_id AND h.id = o.acts_for
      UNION
      SELECT m.* FROM principals m
      WHERE m.tenant_id = ${tenant_id}::uuid
        AND m.id IN (SELECT k.created_by FROM key k UNION SELECT c.linked_by FROM chain c)
    )
    SELECT
      t.stopped_at IS NOT NULL AS stopped, t.platform, t.settings_epoch,
      (SELECT jsonb_agg(jsonb_build_object(
          'id', c.id, 'principal_id', c.principal_id, 'interactive', c.interactive, 'api_key_id', c.api_key_id,
          'parent_id', c.parent_id, 'project_id', c.project_id, 'packs', c.packs, 'narrows_packs', c.narrows_packs,
          'linked_by', c.linked_by, 'client_id', c.client_id,
          'live', c.revoked_at IS NULL AND c.expires_at > clock_timestamp() AND NOT EXISTS (
            SELECT FROM principals p JOIN users u ON u.id = p.user_id
            WHERE p.tenant_id = c.tenant_id AND p.id = c.principal_id AND u.sessions_valid_from > c.created_at
              AND c.issuer_id IS NULL AND c.api_key_id IS NULL
          )
        ) ORDER BY c.depth) FROM chain c) AS sessions,
      (SELECT jsonb_build_object(
          'id', k.id, 'principal_id', k.principal_id, 'secret_hash', encode(k.secret_hash, 'hex'),
          'project_id', k.project_id, 'grants', k.grants, 'created_by', k.created_by,
          'live', k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp())
        ) FROM key k) AS key,
      (SELECT jsonb_agg(jsonb_build_object(
          'id', p.id, 'kind', p.kind, 'name', p.name, 'acts_for', p.acts_for,
          'disabled', p.disabled_at IS NOT NULL OR u.disabled_at IS NOT NULL
            OR (p.user_id IS NOT NULL AND u.id IS NULL)
        )) FROM people p LEFT JOIN users u ON u.id = p.user_id) AS people,
      (SELECT jsonb_agg(jsonb_build_object(
          'principal_id', g.principal_id, 'capability', g.capability, 'pack_id', g.pack_id,
          'verb_keys', g.verb_keys, 'project_id', g.project_id, 'expires_at', g.expires_at
        )) FROM grants g WHERE g.tenant_id = t.id AND g.principal_id IN (SELECT p.id FROM people p)) AS grants,
      (SELECT jsonb_agg(jsonb_build_object(
          'principal_id', a.principal_id, 'role', a.role, 'project_id', a.project_id, 'grants', r.grants
        )) FROM role_assignments a LEFT JOIN roles r ON r.tenant_id = a.tenant_id AND r.name = a.role
        WHERE a.tenant_id = t.id AND a.principal_id IN (SELECT p.id FROM people p)) AS roles,
      (SELECT jsonb_agg(jsonb_build_object('principal_id', m.principal_id, 'project_id', m.project_id))
        FROM project_members m
        WHERE m.tenant_id = t.id AND m.principal_id IN (SELECT p.id FROM people p)) AS memberships
    FROM tenants t WHERE t.id = ${tenant_id}::uuid`);
  const row = rows[0];
  return {
    tenant: row ? { stopped: row.stopped, platform: row.platform, settings_epoch: row.settings_epoch } : null,
    sessions: row?.sessions ?? [],
    key: row?.key ?? null,
    people: row?.people ?? [],
    grants: row?.grants ?? [],
    roles: row?.roles ?? [],
    memberships: row?.memberships ?? [],
  };
}
