import { randomUUID } from 'node:crypto';
import type { Caller, CallerSession, Capability, Grant, PrincipalKind } from '@hcp/core';
import { BUILTIN_ROLES } from '@hcp/core';
import type { Database } from '@hcp/database';
import { makeAgent, makeHuman, makeProject, makeService, makeTenant } from '@hcp/testing';

export interface CallerDraft {
  readonly kind?: PrincipalKind;
  readonly is_agent?: boolean;
  readonly grants?: readonly Grant[];
  readonly session?: Partial<CallerSession>;
  readonly platform?: boolean;
  readonly member_of?: readonly string[];
}

export const grant = (capability: Capability, more: Omit<Grant, 'capability'> = {}): Grant => ({ capability, ...more });

/** A caller in the tenant, backed by a real principal; an owner in an interactive session unless said otherwise. */
export async function makeCaller(db: Database, tenant_id: string, draft: CallerDraft = {}): Promise<Caller> {
  const kind = draft.kind ?? 'human';
  const make = { human: makeHuman, agent: makeAgent, service: makeService }[kind];
  const principal = await make(db, tenant_id);
  return {
    tenant_id,
    principal: { id: principal.id, kind },
    name: principal.name,
    acts_for: null,
    session: {
      id: randomUUID(),
      interactive: kind === 'human',
      api_key_id: null,
      project_id: null,
      packs: null,
      ...draft.session,
    },
    is_agent: draft.is_agent ?? kind === 'agent',
    authority: { layers: [draft.grants ?? BUILTIN_ROLES['owner'] ?? []], member_of: draft.member_of ?? [] },
    settings_epoch: 0n,
    platform: draft.platform ?? false,
  };
}

export interface World {
  readonly tenant_id: string;
  readonly project_id: string;
  readonly owner: Caller;
}

/** A fresh tenant with an owner and a project. */
export async function makeWorld(db: Database): Promise<World> {
  const tenant_id = (await makeTenant(db)).id;
  const owner = await makeCaller(db, tenant_id);
  const project_id = (await makeProject(db, tenant_id, [owner.principal.id])).id;
  return { tenant_id, project_id, owner };
}
