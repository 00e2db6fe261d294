import {
  DEFAULT_PAGE_SIZE,
  type AccessRuleRecord,
  type CreateAccessRule,
  type CreatedAccessRule,
  type ListAccessRulesQuery,
  type Page,
} from '@hcp/contracts';
import { MAX_RULES, type Caller } from '@hcp/core';
import type { AccessRuleRow } from '@hcp/database';
import { v7 as uuidv7 } from 'uuid';
import { auditAccess, bumpEpoch, ruleFacts } from './changes.js';
import { checkRules } from './checked.js';
import { isAlone } from './loader.js';
import { ownProblem, projectExists } from './own.js';
import type { AccessDeps } from './ports.js';
import { done, refuse, unknownThing, wrongField, wrongFields, type Answer } from './refusal.js';
import { manageProblem, manages, packOfMatch, personOnly, reachesMatch } from './rights.js';
import { plainRule, recordOf, Suspensions } from './rule-records.js';
import { ruleOf } from './stored.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The rules that can decide about the caller's calls, oldest first: the tenant's, those of projects the caller sees, its
 * session's and a person's own. A page may hold fewer than there is room for.
 */
export async function listRules(
  { db, pack }: AccessDeps,
  caller: Caller,
  { project_id, limit = DEFAULT_PAGE_SIZE, cursor }: ListAccessRulesQuery,
  now: Date,
): Promise<Answer<Page<AccessRuleRecord>>> {
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString('latin1');
  if (after !== undefined && !UUID.test(after)) return wrongField('/cursor', 'is no cursor of this list');
  const { tenant_id } = caller;
  if (project_id !== undefined && !seesProject(caller, project_id, now)) return unknownThing();
  return db.tenant(tenant_id, async (tx): Promise<Answer<Page<AccessRuleRecord>>> => {
    if (project_id !== undefined && !(await projectExists(tx, tenant_id, project_id))) return unknownThing();
    const rows = await tx.accessRule.findMany({
      where: { tenant_id, id: { gt: after }, OR: visible(caller, project_id, now) },
      orderBy: { id: 'asc' },
      take: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const suspensions = new Suspensions(tx, caller, pack);
    const items: AccessRuleRecord[] = [];
    for (const row of page) {
      const rule = ruleOf(row);
      if (!reachesMatch(caller, rule.match)) continue;
      items.push(recordOf(row, await suspensions.of(rule, row.project_id ?? caller.session.project_id)));
    }
    const next_cursor = rows.length > limit && last ? Buffer.from(last.id, 'latin1').toString('base64url') : null;
    return done({ items, next_cursor });
  });
}

/** Members, and who manages access there; a session that is bound to a project sees no other. */
export function seesProject(caller: Caller, project_id: string, now: Date): boolean {
  const only = caller.session.project_id;
  if (only !== null && only !== project_id) return false;
  return only === project_id || caller.authority.member_of.includes(project_id) || manages(caller, { project_id }, now);
}

function visible(caller: Caller, project_id: string | undefined, now: Date): object[] {
  const { session, principal, authority } = caller;
  const everywhere = manages(caller, {}, now) ? {} : { in: [...authority.member_of] };
  const projects = project_id ?? session.project_id ?? everywhere;
  return [
    { scope: 'tenant' },
    { scope: 'project', project_id: projects },
    { scope: 'session', session_id: session.id },
    ...(isAlone(caller) ? [{ scope: 'member', principal_id: principal.id }] : []),
  ];
}

/** Writes a rule for the tenant, a project, or oneself (SPEC A3). */
export async function createRule(
  { db, pack }: AccessDeps,
  caller: Caller,
  input: CreateAccessRule,
  now: Date,
): Promise<Answer<CreatedAccessRule>> {
  const { project_id = null, own, ...value } = input;
  const { tenant_id, principal } = caller;
  if (own && project_id !== null) return wrongField('/project_id', 'is not for rules of your own');
  const pack_id = packOfMatch(value.match);
  const refusal = own ? personOnly(caller) : manageProblem(caller, { project_id, pack_id }, now);
  if (refusal) return refusal;
  return db.tenant(tenant_id, async (tx): Promise<Answer<CreatedAccessRule>> => {
    if (project_id !== null && !(await projectExists(tx, tenant_id, project_id))) return unknownThing();
    const closed = own ? await ownProblem(tx, tenant_id) : null;
    if (closed) return closed;
    const scope = own ? 'member' : project_id === null ? 'tenant' : 'project';
    const place = { tenant_id, scope, project_id, principal_id: own ? principal.id : null };
    const { rules, errors, warnings } = await checkRules(tx, caller, pack, [value], project_id, () => '');
    const [checked] = rules;
    if (errors.length > 0 || !checked) return wrongFields(errors);
    await bumpEpoch(tx, tenant_id);
    if ((await tx.accessRule.count({ where: place })) >= MAX_RULES) {
      return refuse('conflict', `there are ${String(MAX_RULES)} rules here already`);
    }
    const { rule, command_text } = checked;
    const row = await tx.accessRule.create({
      data: { ...place, id: uuidv7(), rule: plainRule(rule), command_text, created_by: principal.id },
    });
    const details = { scope, ...ruleFacts(rule) };
    await auditAccess(tx, caller, {
      action: 'access.rule_create',
      subject: `rule:${row.id}`,
      project_id,
      pack_id,
      details,
    });
    return done({ ...recordOf(row, null), warnings: [...warnings, ...uselessProblem(scope, rule.decision)] });
  });
}

/** What a project's rule cannot do, told at once. */
function uselessProblem(scope: string, decision: string): { path: string; message: string }[] {
  if (scope !== 'project' || decision !== 'allow') return [];
  return [
    { path: '/decision', message: 'a project only tightens: this allows nothing that the tenant’s settings ask about' },
  ];
}

/** Takes a rule away. */
export async function deleteRule({ db }: AccessDeps, caller: Caller, id: string, now: Date): Promise<Answer<null>> {
  const refusal = personOnly(caller);
  if (refusal) return refusal;
  const { tenant_id } = caller;
  return db.tenant(tenant_id, async (tx): Promise<Answer<null>> => {
    const row = await tx.accessRule.findUnique({ where: { tenant_id_id: { tenant_id, id } } });
    if (!row || !seesRow(caller, row, now)) return unknownThing();
    const rule = ruleOf(row);
    const pack_id = packOfMatch(rule.match);
    const mine = row.scope === 'member' || row.session_id === caller.session.id;
    const problem = mine ? null : manageProblem(caller, { project_id: row.project_id, pack_id }, now);
    if (problem) return problem;
    await bumpEpoch(tx, tenant_id);
    const { count } = await tx.accessRule.deleteMany({ where: { tenant_id, id } });
    if (count === 0) return unknownThing();
    const { project_id } = row;
    const details = { scope: row.scope, ...ruleFacts(rule) };
    await auditAccess(tx, caller, {
      action: 'access.rule_delete',
      subject: `rule:${id}`,
      project_id,
      pack_id,
      details,
    });
    return done(null);
  });
}

/** As the list shows it; a session's rules also to who manages access, and may end them. */
function seesRow(caller: Caller, row: AccessRuleRow, now: Date): boolean {
  if (!reachesMatch(caller, ruleOf(row).match)) return false;
  switch (row.scope) {
    case 'tenant':
      return true;
    case 'project':
      return row.project_id !== null && seesProject(caller, row.project_id, now);
    case 'member':
      return row.principal_id === caller.principal.id;
    default:
      return row.session_id === caller.session.id || manages(caller, {}, now);
  }
}
