/**
 * The import rules, their only copy. A lib may import what its row names; a lib without a row may be imported by nobody
 * and import nothing, so a new one fails until it gets a row.
 */

const FEATURES = ['tenancy', 'packs', 'access', 'bindings', 'workspaces', 'webhooks'];
const FEATURE_MAY = ['core', 'contracts', 'database', 'audit', 'egress', 'events', 'sense'];
const RUNS_MAY = [...FEATURE_MAY, ...FEATURES, 'approvals', 'sandbox', 'queue'];
const SERVER_MAY = [...RUNS_MAY, 'runs', 'fleet', 'kms'];

const LIBS = {
  core: [],
  contracts: ['core'],
  schemas: ['core'],
  'pack-files': ['core', 'schemas'],
  database: ['core'],
  egress: ['core'],
  kms: ['core', 'contracts', 'egress'],
  sandbox: ['core', 'egress'],
  queue: ['core', 'contracts'],
  audit: ['core', 'contracts', 'database'],
  events: ['core', 'contracts', 'database'],
  sense: ['core', 'contracts', 'database', 'audit', 'events'],
  ...Object.fromEntries(FEATURES.map((name) => [name, FEATURE_MAY])),
  packs: [...FEATURE_MAY, 'schemas', 'pack-files'],
  tenancy: [...FEATURE_MAY, 'kms'],
  approvals: [...FEATURE_MAY, 'access', 'queue'],
  runs: RUNS_MAY,
  fleet: [...RUNS_MAY, 'runs'],
  sdk: ['core', 'contracts', 'schemas', 'pack-files', 'sandbox'],
  testing: ['core', 'database'],
};

const APPS = {
  api: SERVER_MAY,
  worker: SERVER_MAY,
  dashboard: ['sdk', 'contracts', 'core'],
  cli: ['sdk', 'contracts', 'core'],
};

/** Code that ships; specs may also use the testing lib and the test runner. */
const SPEC = '[.]spec[.]ts$';

const anyOf = (names) => `(${names.join('|')})`;

const rows = (folder, table) =>
  Object.entries(table).map(([name, may]) => ({
    name: `${folder}-${name}`,
    comment: `${folder}/${name} may import ${may.length > 0 ? may.join(', ') : 'no other lib'}`,
    severity: 'error',
    from: { path: `^${folder}/${name}/`, pathNot: SPEC },
    to: {
      path: '^(libs|apps)/',
      pathNot: [`^${folder}/${name}/`, ...(may.length > 0 ? [`^libs/${anyOf(may)}/`] : [])],
    },
  }));

/** Only these libs may use these packages, and single files of apps by exception. */
const ONLY = [
  ['prisma', ['database'], '^node_modules/(@prisma/|prisma/)'],
  ['queues', ['queue'], '^node_modules/(bullmq|ioredis)/'],
  ['aws', ['kms'], '^node_modules/@aws-sdk/'],
  [
    'processes',
    ['sandbox', 'testing'],
    '^(node_modules/execa/|(node:)?child_process$)',
    ['apps/cli/src/wrap/program-help.ts', 'apps/cli/src/open-browser.ts'],
  ],
];

const only = ONLY.map(([name, libs, path, files = []]) => ({
  name: `only-${libs[0]}-uses-${name}`,
  severity: 'error',
  from: {
    path: '^(libs|apps)/',
    pathNot: [`^libs/${anyOf(libs)}/`, SPEC, ...files.map((file) => `^${file.replaceAll('.', '[.]')}$`)],
  },
  to: { path },
}));

export default {
  forbidden: [
    ...rows('libs', LIBS),
    ...rows('apps', APPS),
    ...only,
    {
      name: 'unlisted-lib',
      comment: 'a lib or app without a row above',
      severity: 'error',
      from: {
        path: '^(libs|apps)/',
        pathNot: [`^libs/${anyOf(Object.keys(LIBS))}/`, `^apps/${anyOf(Object.keys(APPS))}/`],
      },
      to: {},
    },
    {
      name: 'into-unlisted-lib',
      severity: 'error',
      from: {},
      to: { path: '^libs/', pathNot: `^libs/${anyOf(Object.keys(LIBS))}/` },
    },
    {
      name: 'core-is-pure',
      comment: 'core imports nothing but zod',
      severity: 'error',
      from: { path: '^libs/core/src/', pathNot: SPEC },
      to: { pathNot: ['^libs/core/src/', '^node_modules/zod/'] },
    },
    {
      name: 'through-the-index',
      comment: 'a lib is imported through its index.ts',
      severity: 'error',
      from: { path: '^(libs|apps|test)/([^/]+)/' },
      to: { path: '^libs/([^/]+)/', pathNot: ['^libs/([^/]+)/(src|dist)/index[.](ts|js|d[.]ts)$', '^$1/$2/'] },
    },
    {
      name: 'no-app-imports-an-app',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'testing-is-for-tests',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: [SPEC, '^libs/testing/'] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'sdk-in-browsers',
      comment: 'what the SDK gives to browsers needs no Node',
      severity: 'error',
      from: { path: '^libs/(sdk/src|schemas|contracts|core)/', pathNot: ['^libs/sdk/src/(local/|index[.]ts$)', SPEC] },
      to: { path: '^(libs/(sandbox|pack-files)/|libs/sdk/src/(local/|index[.]ts$))' },
    },
    {
      name: 'sdk-in-browsers-without-node',
      severity: 'error',
      from: { path: '^libs/(sdk/src|schemas|contracts|core)/', pathNot: ['^libs/sdk/src/(local/|index[.]ts$)', SPEC] },
      to: { dependencyTypes: ['core'] },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'declared',
      comment: 'a package is in the package.json of the workspace that imports it',
      severity: 'error',
      from: { path: '^(libs|apps)/', pathNot: SPEC },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '/dist/'] },
    exclude: { path: '^libs/database/src/generated/' },
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'node', 'default'] },
  },
};
