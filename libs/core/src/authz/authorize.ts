import type { Land, Operation } from '../packs/policy.js';
import type { Authority, Principal } from '../principal/principal.js';
import { layerAllows } from './allows.js';
import { PACK_CAPABILITIES, type Capability, type Grant } from './grant.js';

export interface AuthorizeContext {
  readonly principal: Principal;
  readonly tenant_id: string;
  readonly project_id: string | null;
  readonly grants: readonly Grant[];
  /** Further grant sets that must allow it too: the human's an agent acts for, a key's. */
  readonly layers?: Authority['layers'];
  /** Without it a grant that expires is void: there is no clock here. */
  readonly now?: Date;
}

export interface AuthorizeRequest {
  readonly pack_id: string;
  readonly verb_key: string;
  readonly operation: Operation;
  readonly land: Land;
  readonly kind: 'exec';
}

export type Authorization = { readonly allow: true } | { readonly allow: false; readonly reason: string };

/** Step 3, as a host may put in place of the default. */
export type Authorize = (ctx: AuthorizeContext, request: AuthorizeRequest) => Authorization;

const NEEDED: Readonly<Record<Operation, Capability>> = {
  read: 'verb.exec.read',
  write: 'verb.exec.write',
  connect: 'pack.connect',
};

const ALLOWED: Authorization = { allow: true };
/** No instant: whatever ends has ended. */
const NEVER = new Date(Number.NaN);

/** The capability that a command of this operation needs (SPEC E3, E4). */
export const requiredCapability = (operation: Operation): Capability => NEEDED[operation];

/** Step 3: may this principal cause this effect at all (SPEC G3)? */
export function defaultAuthorize(ctx: AuthorizeContext, request: AuthorizeRequest): Authorization {
  const { pack_id, verb_key, operation } = request;
  if (!Object.hasOwn(NEEDED, operation)) {
    return { allow: false, reason: `unknown operation for ${pack_id}.${verb_key}` };
  }
  const capability = requiredCapability(operation);
  const now = ctx.now ?? NEVER;
  const need = { capability, pack_id, verb_key, project_id: ctx.project_id };
  if (layerAllows(ctx.grants, need, now) && (ctx.layers ?? []).every((layer) => layerAllows(layer, need, now))) {
    return ALLOWED;
  }
  return { allow: false, reason: `missing ${capability} for ${pack_id}.${verb_key}` };
}

/** Everything in every pack: the SDK's local driver falls back to it, the hosted API never (SPEC G3). */
export const permissiveGrants = (): Grant[] => PACK_CAPABILITIES.map((capability) => ({ capability }));
