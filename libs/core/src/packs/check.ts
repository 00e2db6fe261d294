import { parseStrictJson } from '../text/strict-json.js';
import { checkCarried, checkLiteralSecrets } from './check/allow-lists.js';
import { finding } from './check/findings.js';
import { checkManifest } from './check/manifest.js';
import { checkOperations } from './openapi/check-operations.js';
import { checkPolicy, checkRowNames } from './check/policy.js';
import { readShape } from './check/shape.js';
import { checkSources } from './check/sources.js';
import { checkSteps } from './check/steps.js';
import { checkSurface, type SchemaError } from './check/surface.js';
import { manifestSchema, type Manifest } from './manifest.js';
import type { Finding, Pack } from './pack.js';
import { policySchema } from './policy.js';
import { surfaceSchema, type Surface } from './surface.js';

/** A pack's raw texts and the paths of all its files, relative, with `/`. */
export interface PackFiles {
  readonly manifest?: string;
  readonly surface?: string;
  readonly policy?: string;
  readonly skill?: string;
  readonly openapi?: string;
  readonly paths: readonly string[];
}

export interface CheckOptions {
  /** A pack that an operator publishes; only such a one may use the platform's credential. */
  readonly platform?: boolean;
  /** Compiles a command's `args`; without it finding M020 is not looked for. */
  readonly schema_error?: SchemaError;
}

export interface CheckResult {
  readonly findings: Finding[];
  /** Null when any finding is an error. */
  readonly pack: Omit<Pack, 'digest'> | null;
}

/** Everything that a pack's files say about themselves, and whether it may be installed (SPEC P5). */
export function checkPack(files: PackFiles, options: CheckOptions = {}): CheckResult {
  const platform = options.platform ?? false;
  const findings: Finding[] = [];
  const manifest = readShape('manifest.json', files.manifest, manifestSchema, findings);
  const surface = readShape('surface.json', files.surface, surfaceSchema, findings);
  const policy = readShape('policy.json', files.policy, policySchema, findings);

  findings.push(...checkCarried(files));
  if (manifest !== null)
    findings.push(...checkManifest(manifest, files.paths, platform), ...checkOpenapi(manifest, surface, files));
  if (manifest !== null && surface !== null) {
    findings.push(
      ...checkSurface(manifest, surface, options.schema_error),
      ...checkSteps(manifest, surface),
      ...checkLiteralSecrets(manifest, surface),
    );
  }
  // A row that is wrong hides no misspelt name: all is told in one round.
  const rows = policy === null ? rowNames(files.policy) : null;
  if (surface !== null && rows !== null) findings.push(...checkRowNames(surface, rows));
  if (manifest === null || surface === null || policy === null) return { findings, pack: null };

  findings.push(...checkPolicy(manifest, surface, policy, platform), ...checkSources(manifest, surface, policy));
  const blocked = findings.some((each) => each.level === 'error');
  return { findings, pack: blocked ? null : { manifest, surface, policy, skill: files.skill ?? null } };
}

/** The names of the rows of a policy of which something else is wrong; null where it has no rows that can be told. */
function rowNames(text: string | undefined): string[] | null {
  const json = text === undefined ? null : parseStrictJson(text, { max_depth: 32 });
  const commands: unknown =
    json?.ok === true && typeof json.value === 'object' && json.value !== null && 'commands' in json.value
      ? json.value.commands
      : null;
  return typeof commands === 'object' && commands !== null && !Array.isArray(commands) ? Object.keys(commands) : null;
}

function checkOpenapi(manifest: Manifest, surface: Surface | null, files: PackFiles): Finding[] {
  if (manifest.kind !== 'openapi') return [];
  if (files.openapi === undefined)
    return [finding('M026', 'openapi.json', [], 'a pack of kind openapi needs openapi.json')];
  const json = parseStrictJson(files.openapi, { max_depth: 128, exact_numbers: false });
  return json.ok
    ? surface === null
      ? []
      : checkOperations(surface, json.value)
    : [
        finding(
          'M026',
          'openapi.json',
          json.path === '' ? [] : json.path.split('.'),
          `${json.path} ${json.why}`.trim(),
        ),
      ];
}
