import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filesOf, makeManifest, makePack, READ, TRANSFER } from '../../spec/fixtures.js';
import type { FINDING_CODES } from '../index.js';
import {
  checkPack,
  refuseBindingEnv,
  refuseEnvironment,
  surfaceSchema,
  type CheckOptions,
  type Command,
  type Manifest,
  type Pack,
  type PackFiles,
} from '../index.js';

type Json = Record<string, unknown>;

const LIST: Command = {
  description: 'Lists.',
  cli: ['ledger', 'list', '{{day}}'],
  args: { type: 'object', properties: { day: { type: 'string' } } },
};
const good = (): Pack => makePack({ commands: { list: LIST }, rows: { list: READ } });

/** `CODE path` of every finding. */
const codes = (files: PackFiles, options?: CheckOptions): string[] =>
  checkPack(files, options).findings.map(({ code, path }) => `${code} ${path}`);
const withManifest = (change: Json): PackFiles => ({
  ...filesOf(good()),
  manifest: JSON.stringify({ ...makeManifest(), ...change }),
});
const withWrap = (change: Json): PackFiles => withManifest({ wrap: { bin: 'bin/ledger', ...change } });
const withRow = (change: Json, manifest: Partial<Manifest> = {}): PackFiles => ({
  ...filesOf(makePack({ commands: { list: LIST }, manifest })),
  policy: JSON.stringify({ commands: { list: { ...READ, ...change } } }),
});
const withCommand = (command: Json, row: Json = {}, verb = 'list'): PackFiles => ({
  ...filesOf(good()),
  surface: JSON.stringify({ commands: { [verb]: { description: 'x', cli: ['ledger'], ...command } } }),
  policy: JSON.stringify({ commands: { [verb]: { ...READ, ...row } } }),
});
const withPath = (path: string): PackFiles => ({ ...filesOf(good()), paths: [...filesOf(good()).paths, path] });
const withTemplate = (argv_template: string[], command: Json): PackFiles => ({
  ...withCommand({ cli: undefined, ...command }),
  manifest: withWrap({ argv_template }).manifest ?? '',
});
const source = withManifest({ kind: 'sense_only' }).manifest ?? '';
const args = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });

describe('checkPack', () => {
  it('finds nothing in a good pack and hands it over', () => {
    const { manifest, surface, policy } = good();
    expect(checkPack({ ...filesOf(good()), skill: '# Ledger' })).toEqual({
      findings: [],
      pack: { manifest, surface, policy, skill: '# Ledger' },
    });
  });

  it("takes the protocol's own command with only a suggestion or none", () => {
    const result = checkPack(filesOf(makePack()));
    expect(result.findings).toEqual([]);
    expect(result.pack).not.toBeNull();
  });

  const project = { bin: 'bin/ledger', workspace: { mode: 'project' } } as const;

  it.each<[keyof typeof FINDING_CODES, string, PackFiles]>([
    ['M001', 'manifest.json', { ...filesOf(good()), manifest: undefined }],
    ['M001', 'surface.json', { ...filesOf(good()), surface: undefined }],
    ['M002', 'manifest.json', { ...filesOf(good()), manifest: '{' }],
    ['M002', 'manifest.json#/pack_id', { ...filesOf(good()), manifest: '{"pack_id":"a1","pack_\\u0069d":"b1"}' }],
    ['M002', 'surface.json#/commands/__proto__', { ...filesOf(good()), surface: '{"commands":{"__proto__":{}}}' }],
    ['M003', 'manifest.json#/pack_id', withManifest({ pack_id: 'Ledger' })],
    ['M003', 'manifest.json#/version', withManifest({ version: '1.0' })],
    ['M003', 'manifest.json#/colour', withManifest({ colour: 'red' })],
    ['M003', 'manifest.json#/wrap/timeout_ms', withWrap({ timeout_ms: 1.5 })],
    ['M004', 'surface.json#/commands/list/args/type', withCommand({ args: { type: 'array' } })],
    [
      'M004',
      'surface.json#/commands/Bad Verb',
      { ...filesOf(good()), surface: withCommand({}, {}, 'Bad Verb').surface ?? '' },
    ],
    ['M005', 'manifest.json#/binding/family', withManifest({ binding: { family: 'everyone' } })],
    ['M006', 'manifest.json', withManifest({ wrap: undefined })],
    ['M006', 'manifest.json', withManifest({ kind: 'sense_only', wrap: undefined })],
    ['M033', 'surface.json#/commands/list/steps', withManifest({ kind: 'composite', wrap: undefined })],
    ...['../bin/x', '/bin/tool', 'bin/../../x', 'a\\b', '~/x', 'c:x'].map(
      (bin): [keyof typeof FINDING_CODES, string, PackFiles] => ['M007', 'manifest.json#/wrap/bin', withWrap({ bin })],
    ),
    ...['sh', 'bash', 'env', 'busybox', 'sudo', 'pwsh.exe'].map(
      (bin): [keyof typeof FINDING_CODES, string, PackFiles] => ['M008', 'manifest.json#/wrap/bin', withWrap({ bin })],
    ),
    ['M009', 'manifest.json#/wrap/bin', withWrap({ bin: 'bin/absent' })],
    ['M010', 'surface.json#/commands/list', withCommand({ cli: undefined })],
    ['M011', 'surface.json#/commands/list/cli/1', withCommand({ cli: ['l', '{{ammount}}'], args: args({}) })],
    ['M011', 'surface.json#/commands/list/cli/1', withCommand({ cli: ['l', '--mode={{mode}}'] })],
    [
      'M011',
      'manifest.json#/wrap/argv_template/1',
      withTemplate(['{{verb}}', '--at={{week}}'], { args: args({ day: {} }) }),
    ],
    ['M011', 'manifest.json#/wrap/argv_template/0', withTemplate(['{{mode}}'], {})],
    ['M012', 'surface.json#/commands/list/cli/1', withCommand({ cli: ['l', '{{ day }}'] })],
    ['M012', 'surface.json#/commands/list/cli/0', withCommand({ cli: ['{{day}}'] })],
    ['M012', 'manifest.json#/wrap/argv_template/0', withWrap({ argv_template: ['{{verb'] })],
    ['M012', 'manifest.json#/binding/env/A', withManifest({ binding: { family: 'user', env: { A: '{{ token }}' } } })],
    ['M014', 'manifest.json#/binding/family', withManifest({ binding: { family: 'mock' } })],
    ['M015', 'manifest.json#/binding/family', withManifest({ binding: { family: 'mothership' } })],
    ['M016', 'manifest.json#/wrap/workspace/mode', withManifest({ binding: { family: 'user' }, wrap: project })],
    ['M017', 'manifest.json#/users', withManifest({ users: ['ann@example.com'] })],
    ['M017', 'manifest.json#/allowed_roles', withManifest({ allowed_roles: [] })],
    ['M017', 'manifest.json#/binding/client_secret', withManifest({ binding: { family: 'user', client_secret: 'x' } })],
    ['M017', 'manifest.json#/binding/api-key', withManifest({ binding: { family: 'user', 'api-key': 'x' } })],
    ['M017', 'surface.json#/commands/list/grants', withCommand({ grants: [] })],
    [
      'M017',
      'manifest.json#/binding/env/LEDGER_TOKEN',
      withManifest({ binding: { family: 'user', env: { LEDGER_TOKEN: 'abc' } } }),
    ],
    ['M017', 'manifest.json#/wrap/agent_env/X', withWrap({ agent_env: { X: `ghp_${'a'.repeat(36)}` } })],
    [
      'M017',
      'surface.json#/commands/list/args/properties/api_key',
      withCommand({ args: args({ api_key: { type: 'string', default: 'k' } }), cli: ['l', '{{api_key}}'] }),
    ],
    ['M017', 'surface.json#/commands/list', withCommand({ description: '-----BEGIN RSA PRIVATE KEY-----' })],
    ...['.env', 'bin/.env.local', 'keys/id_ed25519', 'client_secret_42.json', 'tls/server.key', 'credentials.json'].map(
      (path): [keyof typeof FINDING_CODES, string, PackFiles] => ['M017', path, withPath(path)],
    ),
    ...['users.json', 'roles.yaml', 'allow-list.txt', 'acl.csv'].map(
      (path): [keyof typeof FINDING_CODES, string, PackFiles] => ['M017', path, withPath(path)],
    ),
    ['M017', 'SKILL.md', { ...filesOf(good()), skill: `# Use\n\nWith glpat-${'a'.repeat(20)}` }],
    ['M017', 'openapi.json', { ...filesOf(good()), openapi: `{"x":"AKIA${'A'.repeat(16)}"}` }],
    ['M018', 'surface.json#/commands/list/args/required', withCommand({ args: args({}, { required: ['day'] }) })],
    [
      'M021',
      'surface.json#/commands/list/args/properties/b',
      withCommand({ cli: ['l', '{{a}}', '{{b}}'], args: args({ a: { 'x-position': 0 }, b: { 'x-position': 0 } }) }),
    ],
    ['M022', 'surface.json#/commands/list/args/properties/day', withCommand({ args: args({ day: {} }) })],
    ['M023', 'surface.json#/commands/list/cli/1', withCommand({ cli: ['l', '--{{day}}'] })],
    ['M023', 'surface.json#/commands/list/cli/2', withCommand({ cli: ['l', '--where', 'day={{day}}'] })],
    [
      'M024',
      'surface.json#/commands/list/preview/kind',
      withCommand({ preview: { kind: 'gift', title: 't', fields: {} } }),
    ],
    [
      'M024',
      'surface.json#/commands/list/preview/fields/to',
      withCommand({ preview: { kind: 'payment', title: 't', fields: { to: '{{payee}}' } } }),
    ],
    [
      'M024',
      'surface.json#/commands/list/preview/title',
      withCommand({ preview: { kind: 'payment', title: '{{payee}}', fields: {} } }),
    ],
    ['M025', 'surface.json#/commands/list/preview', withCommand({}, { operation: 'write', confirm: true })],
    ['M027', 'manifest.json#/wrap/agent_env/A', withWrap({ agent_env: { A: 'a\nb' } })],
    ['M027', 'manifest.json#/wrap/agent_env/LD_PRELOAD', withWrap({ bin: 'git', agent_env: { LD_PRELOAD: '/x' } })],
    ['M027', 'manifest.json#/wrap/agent_env/HCP_SANDBOX', withWrap({ agent_env: { HCP_SANDBOX: 'no' } })],
    ['M027', 'manifest.json#/wrap/agent_env/NODE_OPTIONS', withWrap({ agent_env: { NODE_OPTIONS: '-r x' } })],
    ...['GIT_TOKEN', 'HOME', 'XDG_CONFIG_HOME', 'LD_PRELOAD'].map(
      (name): [keyof typeof FINDING_CODES, string, PackFiles] => [
        'M027',
        `manifest.json#/binding/env/${name}`,
        withManifest({ binding: { family: 'user', env: { [name]: '{{token}}' } }, wrap: { bin: 'git' } }),
      ],
    ),
    ...[
      { type: 'boolean', 'x-switch': '--force now' },
      { type: 'boolean', 'x-switch': true },
      { type: 'string', 'x-switch': '--force' },
    ].map((force): [keyof typeof FINDING_CODES, string, PackFiles] => [
      'M032',
      'surface.json#/commands/list/args/properties/force/x-switch',
      withCommand({ cli: ['l', '{{force}}'], args: args({ force }) }),
    ]),
    ...['--force={{force}}', '--at'].map((token): [keyof typeof FINDING_CODES, string, PackFiles] => [
      'M032',
      'surface.json#/commands/list/args/properties/force/x-switch',
      withCommand({
        cli: ['l', token, '{{force}}'],
        args: args({ force: { type: 'boolean', 'x-switch': '--force' } }),
      }),
    ]),
    ['P001', 'policy.json', { ...filesOf(good()), policy: undefined }],
    ['P002', 'policy.json', { ...filesOf(good()), policy: 'confirm: true' }],
    ['P003', 'policy.json#/commands/list/confirm', withRow({ confirm: 'never' })],
    ['P004', 'policy.json#/commands/list/privacy/land', withRow({ privacy: { land: 'sea' } })],
    ['P005', 'policy.json#/commands/list/binding', withRow({ binding: 'everyone' })],
    ['P006', 'policy.json#/commands/list/allow_users', withRow({ allow_users: ['ann'] })],
    ['P006', 'policy.json#/commands/list/roles', withRow({ roles: ['admin'] })],
    [
      'P007',
      'policy.json#/commands/transfer/confirm',
      filesOf(makePack({ rows: { transfer: { ...READ, operation: 'write', confirm: true } } })),
    ],
    ['P008', 'surface.json#/commands/transfer', filesOf(makePack({ rows: {} }))],
    ['P009', 'policy.json#/commands/gone', filesOf({ ...good(), policy: { commands: { list: READ, gone: READ } } })],
    ['P010', 'policy.json#/commands/list/privacy/land', withRow({ privacy: { land: 'local' } })],
    ['P011', 'policy.json#/commands/list/binding', withRow({ binding: 'mock' })],
    ['P012', 'policy.json#/commands/list/binding', withRow({ binding: 'mothership' })],
    [
      'P013',
      'policy.json#/commands/list/binding',
      withRow({ binding: 'user', privacy: { land: 'local' } }, { wrap: project }),
    ],
    ['P014', 'policy.json#/commands/list/operation', withRow({ operation: 'admin' })],
    [
      'M034',
      'surface.json#/commands/list/args/required',
      { ...withCommand({ args: args({ day: {} }, { required: ['day'] }) }), manifest: source },
    ],
    ['P015', 'policy.json#/commands/list', { ...withRow({ confirm: true }), manifest: source }],
    ['P015', 'policy.json#/commands/list', { ...withRow({ operation: 'write' }), manifest: source }],
  ])('%s at %s', (code, path, files) => {
    const { findings, pack } = checkPack(files);
    expect(findings.map((each) => `${each.code} ${each.path}`)).toContain(`${code} ${path}`);
    expect(findings.filter((each) => each.code !== code && each.level === 'error').map((each) => each.code)).toEqual(
      [],
    );
    expect(pack === null).toBe(findings.some((each) => each.level === 'error'));
    expect(findings.every((each) => each.message.length > 0)).toBe(true);
  });

  it.each(['git', 'bin/ledger'])('answers for the environment of %s what binding and run will', (bin) => {
    for (const name of [
      'GIT_TOKEN',
      'HOME',
      'XDG_DATA_HOME',
      'LD_AUDIT',
      'NODE_OPTIONS',
      'PYTHONPATH',
      'TOKEN',
      'GOFLAGS',
    ]) {
      const binding = { family: 'user', env: { [name]: '{{token}}' } } as const;
      const refused = refuseBindingEnv({ binding, wrap: { bin } }) !== null;
      expect([name, codes(withManifest({ binding, wrap: { bin } })).some((code) => code.startsWith('M027'))]).toEqual([
        name,
        refused,
      ]);
      const agent_env = { [name]: 'x' };
      expect(refuseEnvironment(agent_env, bin === 'git' ? 'operator' : 'pack') !== null).toBe(
        codes(withWrap({ bin, agent_env })).some((code) => code.startsWith('M027')),
      );
    }
  });

  it('finds commands that would be one MCP tool', () => {
    const pack = makePack({
      commands: { 'plan.show': LIST, plan_show: LIST },
      rows: { 'plan.show': READ, plan_show: READ },
    });
    expect(checkPack(filesOf(pack)).findings).toMatchObject([
      {
        code: 'M013',
        level: 'error',
        path: 'surface.json#/commands/plan_show',
        message: 'and plan.show are both the MCP tool ledger__plan_show',
      },
    ]);
  });

  it('lets packs of the platform use its credential', () => {
    expect(codes(withManifest({ binding: { family: 'mothership' } }), { platform: true })).toEqual([]);
    expect(codes(withRow({ binding: 'mothership' }), { platform: true })).toEqual([]);
  });

  it('wants openapi.json for openapi', () => {
    const files = withManifest({ kind: 'openapi', wrap: undefined });
    expect(codes(files)).toEqual(['M026 openapi.json']);
    expect(codes({ ...files, openapi: '{"a":' })).toEqual(['M026 openapi.json']);
    expect(codes({ ...files, openapi: '{"openapi":"2.0","maximum":18446744073709551615}' })).toEqual([
      'M030 openapi.json#/openapi',
    ]);
  });

  it('looks for the operation of every command of an API', () => {
    const files = withManifest({ kind: 'openapi', wrap: undefined });
    const told = (...names: string[]) => {
      const operations = names.map((operationId, at) => [`/p${String(at)}`, { get: { operationId } }]);
      const openapi = JSON.stringify({ openapi: '3.1.0', paths: Object.fromEntries(operations) as object });
      return checkPack({ ...files, openapi }).findings.filter(({ code }) => code === 'M028');
    };
    const verb = 'list';
    expect(told(verb)).toEqual([]);
    expect(told(verb.toUpperCase())).toEqual([]);
    expect(told(`${verb}More`)).toMatchObject([{ fix: `Write "operation_id": "${verb}More".` }]);
    // Two that differ in writing alone: the pack has to say which.
    expect(told(verb.toUpperCase(), `${verb}_`)).toHaveLength(1);
  });

  it('takes no operation from another kind of pack, and no request from any', () => {
    expect(codes(withCommand({ operation_id: 'x' }))).toContain('M028 surface.json#/commands/list/operation_id');
    const request = { operation_id: 'x', method: 'GET', server: 'https://a.example', path: '/' };
    const made = { ...request, parameters: [], body: null, credentials: [] };
    expect(codes(withCommand({ request: made }))).toContain('M028 surface.json#/commands/list/request');
  });

  it('asks the host whether a schema can be used', () => {
    const result = checkPack(filesOf(good()), { schema_error: () => 'unknown keyword' });
    expect(result).toMatchObject({
      findings: [{ code: 'M020', level: 'error', message: 'unknown keyword' }],
      pack: null,
    });
  });

  it('refuses an argument that argv_template could not tell from the verb', () => {
    const files = {
      ...withCommand({ cli: undefined, args: args({ verb: {} }) }),
      manifest: withWrap({ argv_template: ['{{verb}}'] }).manifest ?? '',
    };
    expect(codes(files)).toEqual(['M019 surface.json#/commands/list/args/properties/verb']);
  });

  it("takes a template's placeholders that any command without cli[] may have", () => {
    expect(codes(withTemplate(['{{verb}}', '{{day}}'], { args: args({ day: {} }) }))).toEqual([]);
    expect(codes(withTemplate(['{{verb}}', '{{anything}}'], {}))).toEqual([]);
    expect(codes(withWrap({ argv_template: ['{{unused}}'] }))).toEqual([]);
  });

  it('lets files have names that only sound like keys or lists', () => {
    for (const path of ['bin/users.json', 'keys.md', 'id_rsa.pub', 'environment', 'ca.pem', 'lib/keyboard.js']) {
      expect(codes(withPath(path)), path).toEqual([]);
    }
  });

  it('lets arguments have the words of access control as names', () => {
    expect(codes(withCommand({ cli: ['l', '{{users}}', '{{role}}'], args: args({ users: {}, role: {} }) }))).toEqual(
      [],
    );
  });

  it('suggests a preview that is taken as it is (M025)', () => {
    const bare: Command = { description: TRANSFER.description, cli: TRANSFER.cli };
    const pack = makePack({ commands: { transfer: bare } });
    const found = checkPack(filesOf(pack)).findings;
    expect(found).toMatchObject([{ code: 'M025', level: 'warning' }]);
    const preview = JSON.parse(found[0]?.fix ?? '') as Command['preview'];
    expect(preview).toEqual({
      kind: 'payment',
      title: 'Pay {{amount}} to {{payee}}',
      fields: { amount: '{{amount}}', to: '{{payee}}', memo: '{{memo}}' },
    });
    expect(checkPack(filesOf(makePack({ commands: { transfer: { ...bare, preview } } }))).findings).toEqual([]);
  });

  it.each<[string, string[], string]>([
    ['send', ['to', 'subject'], 'message'],
    ['send', ['to'], 'command'],
    ['calendar.cancel', ['id'], 'event'],
    ['notes.delete', ['id'], 'removal'],
    ['site.deploy', [], 'publish'],
    ['profile.rename', ['name'], 'change'],
    ['go', [], 'command'],
  ])('suggests for %s %j the kind %s', (verb, names, kind) => {
    const command = { description: 'x', cli: ['t', ...names.map((name) => `{{${name}}}`)] };
    const pack = makePack({
      commands: { [verb]: command },
      rows: { [verb]: { ...READ, operation: 'write', confirm: true } },
    });
    const fix = checkPack(filesOf(pack)).findings.find((each) => each.code === 'M025')?.fix ?? '';
    const preview = JSON.parse(fix) as Command['preview'];
    expect(preview?.kind).toBe(kind);
    expect(surfaceSchema.safeParse({ commands: { [verb]: { ...command, preview } } }).success).toBe(true);
  });

  it('suggests a title of what a call cannot leave out', () => {
    const command = {
      cli: ['ledger', '{{id}}', '{{note}}'],
      args: args({ id: { type: 'string' }, note: { type: 'string' } }, { required: ['note'] }),
    };
    const { findings } = checkPack(withCommand(command, { operation: 'write', confirm: true }, 'delete'));
    expect(JSON.parse(findings.find(({ code }) => code === 'M025')?.fix ?? '')).toEqual({
      kind: 'removal',
      title: 'Delete',
      fields: { item: '{{id}}', note: '{{note}}' },
    });
  });

  it.each<[string, Json, string[], string[]]>([
    ['a slip in the kind', { kind: 'paymnet', title: 't', fields: {} }, [], ['"kind": "payment"']],
    ['no such kind', { kind: 'gift', title: 't', fields: {} }, ['id'], ['"kind": "removal"']],
    ['a slip in a name', { kind: 'change', title: '{{paye}}', fields: {} }, ['payee'], ['{{payee}}']],
    [
      'another name',
      { kind: 'change', title: 't', fields: { to: '{{who}}' } },
      ['a', 'b'],
      ['Its arguments are {{a}}, {{b}}.'],
    ],
    ['no arguments', { kind: 'change', title: '{{who}}', fields: {} }, [], ['The command takes no arguments.']],
    ['blanks', { kind: 'change', title: '{{ a }}', fields: {} }, ['a'], ['Write {{name}}, without blanks.']],
  ])('says what a preview with %s meant (M024)', (_, preview, names, fixes) => {
    const command = { cli: ['l', ...names.map((name) => `{{${name}}}`)], preview };
    const { findings } = checkPack(withCommand(command, {}, 'delete'));
    expect(findings.filter(({ code }) => code === 'M024').map(({ fix }) => fix)).toEqual(fixes);
  });

  it('repeats no value in a finding', () => {
    const files = withManifest({
      binding: { family: 's3cr3t', env: { MY_TOKEN: 's3cr3t' }, client_secret: 's3cr3t' },
      version: 's3cr3t',
      users: 's3cr3t',
    });
    expect(JSON.stringify(checkPack(files))).not.toContain('s3cr3t');
  });

  it('names the finding of nothing at all', () => {
    expect(codes({ paths: [] })).toEqual(['M001 manifest.json', 'M001 surface.json', 'P001 policy.json']);
  });

  it('never throws, and never hands over a pack with an error, whatever the files hold', () => {
    const text = fc.oneof(fc.json(), fc.string(), fc.constant('['.repeat(100_000)));
    const place = fc.constantFrom('manifest', 'surface', 'policy');
    fc.assert(
      fc.property(place, text, (name, content) => {
        const { findings, pack } = checkPack({ ...filesOf(good()), [name]: content });
        return pack === null && findings.some((each) => each.level === 'error');
      }),
    );
    const cli = fc.array(fc.oneof(fc.string(), fc.constantFrom('{{day}}', '--{{x}}', '{{', '--')), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(cli, fc.dictionary(fc.string(), fc.jsonValue()), (tokens, properties) => {
        const { findings, pack } = checkPack(withCommand({ cli: tokens, args: args(properties) }));
        return (pack === null) === findings.some((each) => each.level === 'error');
      }),
    );
  });
});
