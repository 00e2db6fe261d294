import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createRule,
  deleteRule,
  describeAccess,
  listRules,
  putProjectAccess,
  setMode,
  tryCall,
  updateSettings,
  type AccessDeps,
  type AccessRefusalCode,
  type Answer,
} from '@hcp/access';
import {
  accessQuerySchema,
  accessSettingsSchema,
  createAccessRuleSchema,
  execRequestSchema,
  idParamsSchema,
  listAccessRulesQuerySchema,
  setModeSchema,
  updateAccessSettingsSchema,
  type Access,
  type AccessQuery,
  type AccessRuleRecord,
  type AccessSettingsDocument,
  type AccessTest,
  type CreateAccessRule,
  type CreatedAccessRule,
  type ExecRequest,
  type ListAccessRulesQuery,
  type Page,
  type ProjectAccess,
  type SetMode,
  type UpdateAccessSettings,
} from '@hcp/contracts';
import { parseEnvelope, type Caller } from '@hcp/core';
import { CurrentCaller } from '../platform/metadata.js';
import { notFound, ProblemError } from '../platform/problem.js';
import { Route } from '../platform/route.js';
import { ACCESS } from './tokens.js';

/** What runs without asking (SPEC A1-A9). */
@Controller()
export class AccessController {
  constructor(@Inject(ACCESS) private readonly access: AccessDeps) {}

  @Route('access_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Query({ schema: accessQuerySchema }) query: AccessQuery,
  ): Promise<Access> {
    return valueOf(await describeAccess(this.access, caller, query, new Date()));
  }

  @Route('access_set_mode')
  async setMode(@CurrentCaller() caller: Caller, @Body({ schema: setModeSchema }) body: SetMode): Promise<Access> {
    return valueOf(await setMode(this.access, caller, body, new Date()));
  }

  @Route('access_settings', { scoped: true })
  async settings(
    @CurrentCaller() caller: Caller,
    @Body({ schema: updateAccessSettingsSchema }) body: UpdateAccessSettings,
  ): Promise<Access> {
    return valueOf(await updateSettings(this.access, caller, body, new Date()));
  }

  @Route('access_rules_list')
  async rules(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listAccessRulesQuerySchema }) query: ListAccessRulesQuery,
  ): Promise<Page<AccessRuleRecord>> {
    return valueOf(await listRules(this.access, caller, query, new Date()));
  }

  @Route('access_rules_create')
  async createRule(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createAccessRuleSchema }) body: CreateAccessRule,
  ): Promise<CreatedAccessRule> {
    return valueOf(await createRule(this.access, caller, body, new Date()));
  }

  @Route('access_rules_delete')
  async deleteRule(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    valueOf(await deleteRule(this.access, caller, id, new Date()));
  }

  @Route('access_test')
  async test(
    @CurrentCaller() caller: Caller,
    @Body({ schema: execRequestSchema }) body: ExecRequest,
  ): Promise<AccessTest> {
    const parsed = parseEnvelope(body);
    if (!parsed.ok) {
      const { error } = parsed.denial;
      throw new ProblemError(400, 'invalid_request', error, [{ path: '', message: error }]);
    }
    return tryCall(this.access, caller, parsed.envelope, new Date());
  }

  @Route('projects_access', { scoped: true })
  async project(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: accessSettingsSchema }) body: AccessSettingsDocument,
  ): Promise<ProjectAccess> {
    return valueOf(await putProjectAccess(this.access, caller, id, body, new Date()));
  }
}

const STATUS: Readonly<Record<AccessRefusalCode, number>> = {
  human_only: 403,
  missing_capability: 403,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  invalid_request: 400,
};

function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  if (answer.code === 'not_found') throw notFound();
  throw new ProblemError(STATUS[answer.code], answer.code, answer.detail, answer.errors);
}
