import { z } from 'zod';

const NOTE = '<!-- Written by `npm run reference` from the code. -->';
const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');
const page = (title, ...parts) => `${[`# ${title}`, NOTE, ...parts].join('\n\n')}\n`;
const code = (text) => `\`${text}\``;

export const indexPage = () =>
  page(
    'Reference',
    'Everything here is written from the code; `npm run check` fails where it differs.',
    [
      '- [manifest.json](schemas/manifest.json), [surface.json](schemas/surface.json), [policy.json](schemas/policy.json): JSON Schemas of a pack',
      '- [findings](findings.md) of `hcpx check`',
      '- [codes](exec-codes.md) of a result',
      '- [capabilities and roles](capabilities.md)',
      '- [environment](environment.md) of the processes',
      '- [routes](routes.md), and [openapi.json](openapi.json)',
    ].join('\n'),
  );

/** @param {(code: string, file: string, keys: string[], message: string) => { level: string }} finding */
export const findingsPage = ({ FINDING_CODES }, finding) =>
  page(
    'Findings of the check',
    'An error blocks the install, a warning does not.',
    table(
      ['code', 'level', 'what'],
      Object.entries(FINDING_CODES).map(([name, text]) => [name, finding(name, 'manifest.json', [], '').level, text]),
    ),
  );

export const codesPage = ({ EXEC_CODES, EXEC_CODE_MEANINGS, exitCodeFor }) =>
  page(
    'Codes of a result',
    '`POST /v1/exec` answers with one of these as `code` where `ok` is false; `hint` says what to do. The last column is what `hcpx` exits with.',
    table(
      ['code', 'what', 'hcpx'],
      EXEC_CODES.map((name) => [code(name), EXEC_CODE_MEANINGS[name], exitCodeFor({ ok: false, code: name })]),
    ),
  );

export function capabilitiesPage({ CAPABILITIES, CAPABILITY_MEANINGS, BUILTIN_ROLES }, routes) {
  const roles = Object.entries(BUILTIN_ROLES);
  const held = (role, capability) => role.some((grant) => grant.capability === capability);
  return page(
    'Capabilities and roles',
    'A grant gives one capability, narrowed by `pack_id`, `verb_keys`, `project_id` and `expires_at` where these are set.',
    table(
      ['capability', 'lets its holder', 'routes'],
      CAPABILITIES.map((name) => [
        code(name),
        CAPABILITY_MEANINGS[name],
        Object.values(routes).filter((route) => route.requires === name).length || '',
      ]),
    ),
    '## Built-in roles',
    table(
      ['capability', ...roles.map(([name]) => name)],
      CAPABILITIES.filter((name) => roles.some(([, role]) => held(role, name))).map((name) => [
        code(name),
        ...roles.map(([, role]) => (held(role, name) ? 'yes' : '')),
      ]),
    ),
  );
}

export function environmentPage(schemas) {
  const parts = Object.entries(schemas).flatMap(([name, schema]) => [
    `## ${name}`,
    table(['variable', 'what', 'values', 'default'], variables(schema)),
  ]);
  return page(
    'Environment',
    'Read and checked once at start; a bad one is named, its value never printed. An empty one counts as not set.',
    ...parts,
  );
}

function variables(schema) {
  const { properties, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, one]) => {
    const fallback = 'default' in one ? one.default : required.includes(name) ? 'required' : '';
    return [
      code(name),
      one.description ?? '',
      values(one),
      fallback === '' || fallback === 'required' ? fallback : code(fallback),
    ];
  });
}

function values({ enum: words, minimum, maximum, type }) {
  if (words) return words.map(code).join(', ');
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`;
  return type === undefined || type === 'string' ? 'text' : type;
}

export function routesPage(routes) {
  const rows = Object.entries(routes)
    .map(([id, { method, path, summary, requires, refuses }]) => [
      code(`${method} ${path}`),
      summary,
      requires === 'public' || requires === 'authenticated' ? requires : code(requires),
      refuses.join(', '),
      code(id),
    ])
    .sort(([a], [b]) => order(a).localeCompare(order(b), 'en'));
  return page(
    'Routes',
    'What each needs, and which kinds of caller it refuses whatever they were granted. Shapes are in [openapi.json](openapi.json).',
    table(['route', 'what', 'needs', 'refuses', 'operation'], rows),
  );
}

/** By path, then method. */
const order = (route) => route.replaceAll('`', '').split(' ').reverse().join(' ');
