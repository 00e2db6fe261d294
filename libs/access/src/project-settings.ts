import type { AccessSettingsDocument, ProjectAccess } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { v7 as uuidv7 } from 'uuid';
import { auditAccess, bumpEpoch, ruleFacts } from './changes.js';
import { checkRules } from './checked.js';
import { describeIn } from './describe.js';
import { projectExists } from './own.js';
import type { AccessDeps } from './ports.js';
import { done, unknownThing, wrongFields, type Answer } from './refusal.js';
import { manageProblem } from './rights.js';
import { plainRule } from './rule-records.js';
import { changeSettings } from './scope.js';

/** Rules whose facts the log's event names one by one. */
const MAX_AUDITED = 100;

/**
 * Replaces all settings and rules of a project by one document (SPEC A6). What would loosen is kept, does not count, and
 * is listed as ignored: whoever may change the project's file does not decide what runs.
 */
export async function putProjectAccess(
  deps: AccessDeps,
  caller: Caller,
  project_id: string,
  document: AccessSettingsDocument,
  now: Date,
): Promise<Answer<ProjectAccess>> {
  const { tenant_id, principal } = caller;
  const refusal = manageProblem(caller, { project_id }, now);
  if (refusal) return refusal;
  return deps.db.tenant(tenant_id, async (tx): Promise<Answer<ProjectAccess>> => {
    if (!(await projectExists(tx, tenant_id, project_id))) return unknownThing();
    const { rules: given = [], ...settings } = document;
    const at = (index: number): string => `/rules/${String(index)}`;
    const { rules, errors, warnings } = await checkRules(tx, caller, deps.pack, given, project_id, at);
    if (errors.length > 0) return wrongFields(errors);
    await bumpEpoch(tx, tenant_id);
    await changeSettings(tx, caller, { scope: 'project', project_id }, () => settings);
    await tx.accessRule.deleteMany({ where: { tenant_id, scope: 'project', project_id } });
    await tx.accessRule.createMany({
      data: rules.map(({ rule, command_text }) => ({
        ...{ tenant_id, id: uuidv7(), scope: 'project', project_id },
        ...{ rule: plainRule(rule), command_text, created_by: principal.id },
      })),
    });
    await auditAccess(tx, caller, {
      action: 'access.project_settings',
      subject: `project:${project_id}`,
      project_id,
      details: {
        mode: settings.mode ?? null,
        approvals: settings.approvals ?? null,
        packs: Object.keys(settings.packs ?? {}),
        rules: rules.length,
        first_rules: rules.slice(0, MAX_AUDITED).map(({ rule }) => ruleFacts(rule)),
      },
    });
    const access = await describeIn(deps, tx, caller, project_id);
    return done({ warnings: [...warnings], access });
  });
}
