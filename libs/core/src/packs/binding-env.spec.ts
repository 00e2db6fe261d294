import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bindingFamilies,
  bindingFields,
  refuseBindingEnv,
  refuseSecretValue,
  renderBindingEnv,
  type Manifest,
  type Pack,
} from '../index.js';

const manifest = (env?: Record<string, string>, bin = 'bin/tool'): Pick<Manifest, 'binding' | 'wrap'> => ({
  binding: { family: 'user', ...(env && { env }) },
  wrap: { bin },
});

describe('bindingFields', () => {
  it('names each field once, in the order of the map', () => {
    expect(bindingFields(manifest({ A: '{{user}}:{{pass}}', B: 'x', C: '{{pass}}', D: '{{url}}' }))).toEqual([
      'user',
      'pass',
      'url',
    ]);
    expect(bindingFields(manifest())).toEqual([]);
  });
});

describe('bindingFamilies', () => {
  const pack = (...rows: (undefined | 'user' | 'mothership' | 'local')[]) =>
    ({
      manifest: manifest({}),
      policy: { commands: Object.fromEntries(rows.map((binding, index) => [`c${index}`, { binding }])) },
    }) as unknown as Pack;

  it('is what the commands run with, not what nobody uses', () => {
    expect(bindingFamilies(pack(undefined))).toEqual(['user']);
    expect(bindingFamilies(pack('local'))).toEqual([]);
    expect(bindingFamilies(pack('mothership', 'user'))).toEqual(['user', 'mothership']);
  });
});

describe('renderBindingEnv', () => {
  it('fills in one pass and never looks at a value again', () => {
    const env = { A: 'Bearer {{token}}', B: '{{token}}{{other}}', C: 'plain' };
    const fields = { token: '{{other}}$(id)`id`%s', other: '{{token}}' };
    expect(renderBindingEnv(manifest(env), fields)).toEqual({
      ok: true,
      env: { A: 'Bearer {{other}}$(id)`id`%s', B: '{{other}}$(id)`id`%s{{token}}', C: 'plain' },
    });
  });

  it('keeps any value as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (token) => {
        expect(renderBindingEnv(manifest({ T: '<{{token}}>' }), { token })).toEqual({
          ok: true,
          env: { T: `<${token}>` },
        });
      }),
    );
  });

  it('names the field that is missing, inherited names included', () => {
    expect(renderBindingEnv(manifest({ T: '{{toString}}' }), {})).toEqual({ ok: false, field: 'toString' });
  });
});

describe('refuseBindingEnv', () => {
  it.each(['LD_PRELOAD', 'NODE_OPTIONS', 'HCP_SANDBOX'])('refuses %s by name, whoever’s program it is', (name) => {
    for (const bin of ['bin/tool', 'git']) {
      expect(refuseBindingEnv(manifest({ [name]: 'hidden-{{token}}' }, bin))).toContain(name);
      expect(refuseBindingEnv(manifest({ [name]: 'hidden-{{token}}' }, bin))).not.toContain('hidden');
    }
  });

  it.each(['PATH', 'HOME', 'XDG_CONFIG_HOME', 'GIT_TOKEN', 'GIT_SSH_COMMAND', 'PYTHONSTARTUP', 'BASH_ENV', 'GOFLAGS'])(
    'refuses %s for an operator’s program alone',
    (name) => {
      expect(refuseBindingEnv(manifest({ [name]: '{{token}}' }, 'git'))).toContain(name);
      expect(refuseBindingEnv(manifest({ [name]: '{{token}}' }))).toBeNull();
    },
  );

  it.each(['LEDGER_TOKEN', 'GITHUB_TOKEN', 'GOOGLE_API_KEY', 'AWS_SECRET_ACCESS_KEY'])('takes %s', (name) => {
    expect(refuseBindingEnv(manifest({ [name]: '{{token}}' }, 'git'))).toBeNull();
  });
});

describe('refuseSecretValue', () => {
  it.each<[string, RegExp]>([
    ['canary\nX=1', /line break/],
    ['canary\rX=1', /line break/],
    ['canary\u2028X', /line break/],
    ['canary\0x', /NUL/],
    ['canary\ud800', /Unicode/],
    ['cana', /too short/],
    ['c  a n a', /too short/],
    ['c'.repeat(4097), /too long/],
  ])('refuses %j and does not repeat it', (value, why) => {
    expect(refuseSecretValue(value)).toMatch(why);
    expect(refuseSecretValue(value)).not.toContain('can');
  });

  it.each(['canary', 'a-b c"d\\e$(id)`id`%s{{x}}', 'contraseña-ñ', '😀😀😀', 'c'.repeat(4096)])('takes %j', (value) => {
    expect(refuseSecretValue(value)).toBeNull();
  });
});
