import type { Finding } from '../pack.js';

/** What each code of the check is about (SPEC P5); messages say the particulars. */
export const FINDING_CODES = {
  M001: 'manifest.json or surface.json is missing',
  M002: 'manifest.json or surface.json is not strict JSON',
  M003: 'manifest.json has another shape than its schema',
  M004: 'surface.json has another shape than its schema',
  M005: 'unknown binding family in manifest.json',
  M006: 'kind and content of the manifest do not go together',
  M007: 'wrap.bin leads out of the pack',
  M008: 'wrap.bin is a shell, or a program that starts any other',
  M009: 'wrap.bin is not among the files of the pack',
  M010: 'a wrap command has no command line',
  M011: 'a placeholder of a command line is no argument',
  M012: 'braces that are no placeholder',
  M013: 'two commands have the same MCP tool name',
  M014: 'mock as a declared family',
  M015: "mothership in a pack that is not the platform's",
  M016: 'user binding with a project workspace',
  M017: 'an allow-list or a credential in a pack',
  M018: 'a required argument is not declared',
  M019: 'a name that no argument may have',
  M020: 'args is not a JSON Schema that can be used',
  M021: 'two arguments have the same x-position',
  M022: 'a declared argument never reaches the command line',
  M023: 'a placeholder where a value can turn into an option',
  M024: 'the preview names an unknown kind or no argument',
  M025: 'a command that asks has no preview',
  M026: 'openapi.json is missing or not JSON',
  M027: 'the environment of the child cannot be set so',
  M028: 'a command of an API names no operation of openapi.json, or another kind of pack names one',
  M029: 'an argument that the operation does not have',
  M030: 'openapi.json is no OpenAPI 3 document that can be used',
  M031: 'an operation that cannot be called',
  M032: 'x-switch of an argument that cannot be a switch',
  M033: 'the steps of a composite are not right, or belong to another kind of pack',
  M034: 'a command of a sense_only pack could not be run on schedule: it needs an argument',
  P001: 'policy.json is missing',
  P002: 'policy.json is not strict JSON',
  P003: 'policy.json has another shape than its schema',
  P004: 'unknown land',
  P005: 'unknown binding family in policy.json',
  P006: 'an allow-list in policy.json',
  P007: 'a command that pays or transfers is not confirm "always"',
  P008: 'a command has no policy row',
  P009: 'a policy row has no command',
  P010: 'land local without workspace.mode project',
  P011: 'mock as a declared family of a command',
  P012: "mothership in a policy row of a pack that is not the platform's",
  P013: 'user binding of a command with a project workspace',
  P014: 'unknown operation',
  P015: 'a command of a sense_only pack writes or asks',
} as const;

export type FindingCode = keyof typeof FINDING_CODES;

/** Suggestions; everything else blocks the install. */
const WARNINGS: ReadonlySet<FindingCode> = new Set(['M022', 'M023', 'M024', 'M025', 'P007']);

export type PackFile = 'manifest.json' | 'surface.json' | 'policy.json' | 'openapi.json';

/** `file` is one of the pack's; `keys` become a JSON pointer behind its name. */
export function finding(
  code: FindingCode,
  file: string,
  keys: readonly PropertyKey[],
  message: string,
  fix?: string,
): Finding {
  const pointer = keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return {
    code,
    level: WARNINGS.has(code) ? 'warning' : 'error',
    path: pointer === '' ? file : `${file}#${pointer}`,
    message,
    ...(fix === undefined ? {} : { fix }),
  };
}
