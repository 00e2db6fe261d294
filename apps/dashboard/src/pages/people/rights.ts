import type { GrantRecord, Me, Member, Role } from '@hcp/contracts';
import { CAPABILITIES, type Capability, CAPABILITY_MEANINGS, covers, type Grant } from '@hcp/core';
import { moment } from '../../app/format.js';

/** `run commands that read` */
export const meaning = (capability: Capability): string => CAPABILITY_MEANINGS[capability];
/** The same, where a sentence begins. */
export const Meaning = (capability: Capability): string => {
  const words = meaning(capability);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Where and for how long a grant counts, in words. */
export function reach(grant: Grant, projectName: (id: string) => string): string {
  const { pack_id, verb_keys, project_id, expires_at } = grant;
  const limits = [
    verb_keys !== undefined && `the command${verb_keys.length === 1 ? '' : 's'} ${verb_keys.join(', ')}`,
    pack_id !== undefined && `in the pack ${pack_id}`,
    project_id !== undefined && `in ${projectName(project_id)}`,
  ].filter((limit) => limit !== false);
  const where = limits.length === 0 ? 'everywhere' : limits.join(', ');
  return expires_at === undefined ? where : `${where}, until ${moment(expires_at)}`;
}

export const isOver = ({ expires_at }: Grant, now = new Date()): boolean =>
  expires_at !== undefined && Date.parse(expires_at) <= now.getTime();

/** What a role gives where it is assigned: a role in one project gives its grants there alone. */
export const within = (project_id: string | null, grants: readonly Grant[]): Grant[] =>
  project_id === null
    ? [...grants]
    : grants
        .filter((grant) => grant.project_id === undefined || grant.project_id === project_id)
        .map((grant) => ({ ...grant, project_id }));

export interface Right {
  readonly grant: Grant;
  /** The role that it comes from; null: a grant of the principal's own; left out where nobody tells. */
  readonly role?: string | null;
}

/** All that a principal holds by itself, in the order of the capabilities. */
export function rightsOf(
  { roles: assigned }: Pick<Member, 'roles'>,
  roles: readonly Role[],
  own: readonly GrantRecord[],
): Right[] {
  const by_role = assigned.flatMap(({ role, project_id }) =>
    within(project_id, roles.find(({ name }) => name === role)?.grants ?? []).map((grant) => ({ grant, role })),
  );
  const rights: Right[] = [...by_role, ...own.map((grant) => ({ grant, role: null }))];
  const place = ({ grant }: Right): number => CAPABILITIES.indexOf(grant.capability);
  return rights.filter(({ grant }) => !isOver(grant)).sort((a, b) => place(a) - place(b));
}

/** How far a right counts for who acts for a human: only as far as the human has it too. */
export function sharedWith(human: readonly Right[], grant: Grant): 'all' | 'part' | 'none' {
  const layer = human.map((right) => right.grant);
  if (covers({ layers: [layer] }, grant, new Date())) return 'all';
  return layer.some(({ capability }) => capability === grant.capability) ? 'part' : 'none';
}

/** Whether this person could give all of these, as far as the page knows; the API decides. */
export const mayGive = (me: Me, grants: readonly Grant[]): boolean =>
  grants.every((grant) => covers({ layers: me.grants }, grant, new Date()));
