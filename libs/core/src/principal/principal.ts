/** Who acts (SPEC T2). `service` is a product backend, `agent` an AI agent. */
export type PrincipalKind = 'human' | 'agent' | 'service';

export interface Principal {
  /** UUID, unique in its tenant. */
  readonly id: string;
  readonly kind: PrincipalKind;
}

/**
 * Everything about the caller that a decision may look at. Built from the token alone, anew for every call,
 * so that a revoked key, a disabled person or a removed grant counts at once on every replica.
 */
export interface Caller {
  readonly tenant_id: string;
  readonly principal: Principal;
  readonly name: string;
  /** The human (principal id) an agent or service acts for. */
  readonly acts_for: string | null;
  readonly session: CallerSession;
  /** True for agent principals, MCP and `HCP-Agent: 1`: then it counts as an agent's call whatever the token. */
  readonly is_agent: boolean;
  /** What the caller may do: own grants, cut by acts_for, the key and the session. */
  readonly authority: Authority;
  /** The tenant's settings epoch these facts were read at. */
  readonly settings_epoch: bigint;
  /** True in the platform tenant. */
  readonly platform: boolean;
  /** The mode that the process asked for (`HCP-Mode`); it counts as far as its key or session may loosen (SPEC A1). */
  readonly process_mode?: import('../access/settings/settings.js').Mode | null;
  /** Whose yes the process asked to count (`HCP-Approvals`); only `human` does anything (SPEC A5). */
  readonly process_approvals?: import('../access/settings/settings.js').Approvals | null;
}

export interface CallerSession {
  readonly id: string;
  /** A person signed in with a password in this session; never true for API keys. */
  readonly interactive: boolean;
  readonly api_key_id: string | null;
  /** The only project the session reaches; null: each call may name none. */
  readonly project_id: string | null;
  /** Null: every active pack. */
  readonly packs: readonly string[] | null;
}

/**
 * A conjunction of grant sets: a thing is allowed only when every layer allows it. One layer for the principal's own
 * grants, one for the human it acts for, one for a key's narrower grants (SPEC T2, T5, G5).
 */
export interface Authority {
  readonly layers: readonly (readonly import('../authz/grant.js').Grant[])[];
  /** Projects the principal (and the human it acts for) is a member of. */
  readonly member_of: readonly string[];
}
