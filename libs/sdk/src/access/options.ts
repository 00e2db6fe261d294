import type {
  Authorization,
  AuthorizeContext,
  AuthorizeRequest,
  Grant,
  Principal,
  Settings,
  SignalRule,
  ViewRule,
} from '@hcp/core';
import type { ApprovalStore } from '../approvals/store.js';
import type { AuditSink } from './audit.js';

/** The settings document, or what gives the one of this moment: a host that keeps session rules changes it. */
export type AccessSource = Settings | (() => Settings | Promise<Settings>);

/** A host's own authoriser, at the place of `defaultAuthorize` (SPEC G3). What it throws refuses the call. */
export type HostAuthorize = (
  ctx: AuthorizeContext,
  request: AuthorizeRequest,
) => Authorization | Promise<Authorization>;

/** Who the commands run for. */
export interface HostPrincipal extends Principal {
  /** Of a human: sits at the other end, so that an own `confirm: true` is a yes (SPEC A5). */
  readonly interactive?: boolean;
}

/** What a host says about the commands it lets run (SPEC I4). */
export interface AccessOptions {
  /** Mode, packs, approvals and rules. What is malformed is refused by field, and nothing of it counts (SPEC A6). */
  readonly access?: AccessSource;
  /** Gets every decision and every end of a run. Where it fails before a run, nothing runs (SPEC U1). */
  readonly audit?: AuditSink;
  /** Put in front of the default rules (SPEC C2). */
  readonly views?: { readonly rules?: readonly ViewRule[]; readonly signals?: readonly SignalRule[] };
  readonly authorize?: HostAuthorize;
  /** Keeps requests for a person's yes; without one the host keeps its own and says so with `approval`. */
  readonly approvals?: ApprovalStore;
  /** What the principal may do; everything where it is left out, which is for one user alone. */
  readonly grants?: readonly Grant[];
  /** A service called `host` where it is left out. */
  readonly principal?: HostPrincipal;
  readonly tenant_id?: string;
  /** The project of every call, of which the principal is a member. */
  readonly project_id?: string | null;
  /** Every call counts as an agent's (SPEC T2). */
  readonly agent?: boolean;
}

/** The names of the options that put an access step in front of a runtime. */
export const ACCESS_OPTIONS = [
  'access',
  'audit',
  'views',
  'authorize',
  'approvals',
  'grants',
  'principal',
  'tenant_id',
  'project_id',
  'agent',
] as const satisfies readonly (keyof AccessOptions)[];
