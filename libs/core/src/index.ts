export * from './principal/principal.js';
export * from './authz/grant.js';
export * from './authz/schema.js';
export * from './authz/allows.js';
export * from './authz/roles.js';
export * from './authz/authorize.js';
export * from './packs/manifest.js';
export * from './packs/surface.js';
export * from './packs/policy.js';
export * from './packs/pack.js';
export * from './packs/lookup.js';
export * from './packs/environment.js';
export * from './packs/binding-env.js';
export * from './bindings/token-life.js';
export * from './packs/secret-value.js';
export * from './packs/request.js';
export { fillSteps, stepOf, stepPlaceholders, type FilledArgs, type Step } from './packs/steps.js';
export { loadNested } from './pipeline/nested.js';
export { stepRequest } from './pipeline/steps.js';
export {
  operationFinder,
  operationsOf,
  type Node,
  type Operation as ApiOperation,
} from './packs/openapi/operations.js';
export { finding } from './packs/check/findings.js';
export * from './packs/skill.js';
export * from './packs/schemas.js';
export * from './packs/check.js';
export { FINDING_CODES, type FindingCode } from './packs/check/findings.js';
export { type SchemaError } from './packs/check/surface.js';
export {
  draftPack,
  isPoorHelp,
  listedCommands,
  MAX_DRAFTED,
  type Draft,
  type DraftRequest,
} from './packs/draft/draft-pack.js';
export { draftApiPack } from './packs/draft/draft-api.js';
export type { ProgramHelp } from './packs/draft/help-page.js';
export * from './errors/codes.js';
export * from './errors/exit.js';
export * from './errors/keys-unavailable.js';
export * from './envelope/envelope.js';
export * from './envelope/result.js';
export * from './envelope/parse-envelope.js';
export * from './envelope/parse-result.js';
export {
  authorizeRequest,
  credentialFields,
  credentialUses,
  FIELD_PLACES,
  type Authorization as RequestAuthorization,
  type FieldUse,
} from './http/credential.js';
export { renderRequest, type HttpRequest, type RenderedRequest } from './http/render-request.js';
export * from './args/control.js';
export * from './args/validate.js';
export { MAX_DEPTH, POLLUTING_KEYS } from './args/values.js';
export { namedTexts } from './argv/named-texts.js';
export { MAX_ARGV_BYTES, MAX_VALUE_BYTES, renderArgv, type ArgvResult } from './argv/render.js';
export * from './argv/preview.js';
export * from './argv/from-argv.js';
export * from './access/decide-access.js';
export * from './access/command-access.js';
export { checkRule, type CheckedRule, type RuleProblem } from './access/rules/check-rule.js';
export * from './access/rules/rule.js';
export { RuleSet, type RuleCall, type Ruling } from './access/rules/rule-set.js';
export { commandText } from './access/rules/text.js';
export { judgeAccess, type Judgement } from './access/settings/judge.js';
export * from './access/settings/layers.js';
export { baseMode, type ModeChoice } from './access/settings/mode.js';
export { ACCESS_REASON_CODES, type AccessReasonCode } from './access/settings/reasons.js';
export * from './access/settings/settings.js';
export { buildView, MAX_SHOWN, type BuiltView, type ViewRules } from './views/build.js';
export { DEFAULT_SIGNAL_RULES, DEFAULT_VIEW_RULES } from './views/default-rules.js';
export { approvalOptions, type ApprovalOption, type OptionsCommand } from './views/options.js';
export * from './views/view.js';
export * from './approvals/state.js';
export * from './approvals/request.js';
export * from './approvals/hint.js';
export * from './approvals/card.js';
export * from './approvals/decider.js';
export * from './pipeline/types.js';
export { HCP_CLI_PACK_ID } from './pipeline/resolve.js';
export { decide } from './pipeline/decide.js';
export * from './digest/canonical-json.js';
export { isPlainDecimal, numberRoundTrips } from './text/decimal.js';
export { nearest } from './text/nearest.js';
export { escapeInvisible, isWellFormed, utf8Length } from './text/unicode.js';
export { parseStrictJson, type StrictJson, type StrictJsonOptions } from './text/strict-json.js';
export * from './sense/event.js';
export { seesSense, type SeenEvent } from './sense/sees.js';
export * from './mcp/name.js';
export * from './mcp/tool.js';
export * from './mcp/envelope.js';
export * from './mcp/hints.js';
export { judgeAttempt, RETRY_WAITS_S, type AttemptResult, type AttemptVerdict } from './webhooks/attempts.js';
export * from './audit/index.js';
