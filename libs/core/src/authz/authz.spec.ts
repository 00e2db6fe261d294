import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOW, OTHER_PROJECT, PROJECT } from '../../spec/fixtures.js';
import {
  allows,
  BUILTIN_ROLES,
  CAPABILITIES,
  covers,
  defaultAuthorize,
  grantSchema,
  permissiveGrants,
  PLATFORM_CAPABILITIES,
  requiredCapability,
  type Grant,
  type Need,
} from '../index.js';

const PAST = '2026-06-01T12:00:00Z';
const LATER = '2026-06-01T14:00:01+02:00';

const may = (grants: Grant[], need: Partial<Need>): boolean =>
  allows(
    { layers: [grants] },
    { capability: 'verb.exec.write', pack_id: 'mail', verb_key: 'send', project_id: PROJECT, ...need },
    NOW,
  );

describe('allows', () => {
  const write: Grant = { capability: 'verb.exec.write' };

  it.each<[string, Grant[], Partial<Need>, boolean]>([
    ['no grants', [], {}, false],
    ['the capability', [write], {}, true],
    ['write for a read', [write], { capability: 'verb.exec.read' }, false],
    ['read for a write', [{ capability: 'verb.exec.read' }], {}, false],
    ['its pack', [{ ...write, pack_id: 'mail' }], {}, true],
    ['another pack', [{ ...write, pack_id: 'ledger' }], {}, false],
    ['its command', [{ ...write, verb_keys: ['send'] }], {}, true],
    ['another command', [{ ...write, verb_keys: ['send.now'] }], {}, false],
    ['no command', [{ ...write, verb_keys: [] }], {}, false],
    ['its project', [{ ...write, project_id: PROJECT }], {}, true],
    ['another project', [{ ...write, project_id: OTHER_PROJECT }], {}, false],
    ['a project grant without a project', [{ ...write, project_id: PROJECT }], { project_id: null }, false],
    ['a pack grant for all packs', [{ ...write, pack_id: 'mail' }], { pack_id: undefined }, false],
    ['a command grant for all commands', [{ ...write, verb_keys: ['send'] }], { verb_key: undefined }, false],
    ['an end later on', [{ ...write, expires_at: LATER }], {}, true],
    ['an end just now', [{ ...write, expires_at: PAST }], {}, false],
    ['an end that cannot be read', [{ ...write, expires_at: 'never' }], {}, false],
  ])('%s', (_, grants, need, expected) => {
    expect(may(grants, need)).toBe(expected);
  });

  it('wants every layer, and at least one', () => {
    const need: Need = { capability: 'verb.exec.write', pack_id: 'mail', verb_key: 'send' };
    expect(allows({ layers: [] }, need, NOW)).toBe(false);
    expect(allows({ layers: [[write], [{ ...write, pack_id: 'mail' }]] }, need, NOW)).toBe(true);
    expect(allows({ layers: [[write], [{ ...write, pack_id: 'ledger' }]] }, need, NOW)).toBe(false);
    expect(allows({ layers: [[write], []] }, need, NOW)).toBe(false);
  });
});

const grant = fc.record(
  {
    capability: fc.constantFrom('verb.exec.read' as const, 'verb.exec.write' as const),
    pack_id: fc.constantFrom('mail', 'ledger'),
    verb_keys: fc.subarray(['send', 'pay', 'list']),
    project_id: fc.constantFrom(PROJECT, OTHER_PROJECT),
    expires_at: fc.constantFrom(PAST, LATER, '2027-01-01T00:00:00Z'),
  },
  { requiredKeys: ['capability'] },
);
const need = fc.record({
  capability: fc.constantFrom('verb.exec.read' as const, 'verb.exec.write' as const),
  pack_id: fc.constantFrom('mail', 'ledger', undefined),
  verb_key: fc.constantFrom('send', 'pay', 'list', undefined),
  project_id: fc.constantFrom(PROJECT, OTHER_PROJECT, null),
});
const layer = fc.array(grant, { maxLength: 4 });
const layers = fc.array(layer, { maxLength: 3 });

describe('for all grants', () => {
  it('a further layer never allows more', () => {
    fc.assert(
      fc.property(fc.array(layer, { minLength: 1, maxLength: 3 }), layer, need, (some, more, wanted) => {
        return allows({ layers: some }, wanted, NOW) || !allows({ layers: [...some, more] }, wanted, NOW);
      }),
    );
  });

  it('a further grant never allows less', () => {
    fc.assert(
      fc.property(layer, grant, need, (some, more, wanted) => {
        return !allows({ layers: [some] }, wanted, NOW) || allows({ layers: [[...some, more]] }, wanted, NOW);
      }),
    );
  });

  it('expired grants never allow', () => {
    fc.assert(
      fc.property(layers, need, (some, wanted) => {
        const expired = some.map((grants) => grants.map((each) => ({ ...each, expires_at: PAST })));
        return !allows({ layers: expired }, wanted, NOW);
      }),
    );
  });

  it('what is covered allows nothing that its giver may not do, now or when more has expired (G5)', () => {
    const later = new Date('2026-12-01T00:00:00Z');
    fc.assert(
      fc.property(layers, grant, need, (some, given, wanted) => {
        if (!covers({ layers: some }, given, NOW)) return;
        for (const now of [NOW, later]) {
          expect(!allows({ layers: [[given]] }, wanted, now) || allows({ layers: some }, wanted, now)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('covers', () => {
  it.each<[string, Grant[], Grant, boolean]>([
    ['the same', [{ capability: 'audit.read' }], { capability: 'audit.read' }, true],
    [
      'narrower',
      [{ capability: 'audit.read' }],
      { capability: 'audit.read', pack_id: 'mail', expires_at: LATER },
      true,
    ],
    ['wider in packs', [{ capability: 'audit.read', pack_id: 'mail' }], { capability: 'audit.read' }, false],
    ['wider in projects', [{ capability: 'audit.read', project_id: PROJECT }], { capability: 'audit.read' }, false],
    ['another capability', [{ capability: 'audit.read' }], { capability: 'run.read' }, false],
    ['longer', [{ capability: 'audit.read', expires_at: LATER }], { capability: 'audit.read' }, false],
    [
      'as long',
      [{ capability: 'audit.read', expires_at: LATER }],
      { capability: 'audit.read', expires_at: LATER },
      true,
    ],
    [
      'expired',
      [{ capability: 'audit.read', expires_at: PAST }],
      { capability: 'audit.read', expires_at: PAST },
      false,
    ],
    [
      'commands of two grants together',
      [
        { capability: 'verb.exec.read', verb_keys: ['a'] },
        { capability: 'verb.exec.read', pack_id: 'mail', verb_keys: ['b'] },
      ],
      { capability: 'verb.exec.read', pack_id: 'mail', verb_keys: ['a', 'b'] },
      true,
    ],
    [
      'one command too many',
      [{ capability: 'verb.exec.read', verb_keys: ['a'] }],
      { capability: 'verb.exec.read', verb_keys: ['a', 'b'] },
      false,
    ],
    ['all commands', [{ capability: 'verb.exec.read', verb_keys: ['a'] }], { capability: 'verb.exec.read' }, false],
    ['no command', [{ capability: 'verb.exec.read' }], { capability: 'verb.exec.read', verb_keys: [] }, false],
  ])('%s', (_, held, given, expected) => {
    expect(covers({ layers: [held] }, given, NOW)).toBe(expected);
  });

  it('wants every layer', () => {
    expect(covers({ layers: [[{ capability: 'audit.read' }], []] }, { capability: 'audit.read' }, NOW)).toBe(false);
    expect(covers({ layers: [] }, { capability: 'audit.read' }, NOW)).toBe(false);
  });
});

describe('defaultAuthorize', () => {
  const ctx = { principal: { id: 'u1', kind: 'human' }, tenant_id: 't1', project_id: null } as const;
  const request = {
    pack_id: 'mail',
    verb_key: 'mail.send',
    operation: 'write',
    land: 'personal',
    kind: 'exec',
  } as const;

  it("answers as the protocol's example", () => {
    const grants: Grant[] = [
      { capability: 'verb.exec.read', pack_id: 'mail' },
      { capability: 'pack.connect', pack_id: 'mail' },
    ];
    expect(defaultAuthorize({ ...ctx, grants }, request)).toEqual({
      allow: false,
      reason: 'missing verb.exec.write for mail.mail.send',
    });
    const more: Grant[] = [...grants, { capability: 'verb.exec.write', pack_id: 'mail', verb_keys: ['mail.send'] }];
    expect(defaultAuthorize({ ...ctx, grants: more }, request)).toEqual({ allow: true });
  });

  it('wants pack.connect for connect, and refuses an operation it does not know', () => {
    expect(requiredCapability('connect')).toBe('pack.connect');
    expect(defaultAuthorize({ ...ctx, grants: [] }, { ...request, operation: 'connect' })).toMatchObject({
      reason: 'missing pack.connect for mail.mail.send',
    });
    const strange = { ...request, operation: 'constructor' } as unknown as typeof request;
    expect(defaultAuthorize({ ...ctx, grants: permissiveGrants() }, strange)).toMatchObject({ allow: false });
  });

  it('takes a grant that ends for void without a time', () => {
    const grants: Grant[] = [{ capability: 'verb.exec.write', expires_at: LATER }];
    expect(defaultAuthorize({ ...ctx, grants }, request).allow).toBe(false);
    expect(defaultAuthorize({ ...ctx, grants, now: NOW }, request).allow).toBe(true);
  });

  it('lets permissiveGrants do everything in packs and nothing in the control plane', () => {
    expect(permissiveGrants().map((each) => each.capability)).toEqual([
      'pack.install',
      'pack.connect',
      'verb.exec.read',
      'verb.exec.write',
      'sense.enable',
    ]);
  });
});

describe('roles and grants', () => {
  it('has the six roles, none with a platform capability, all narrower than the owner', () => {
    expect(Object.keys(BUILTIN_ROLES)).toEqual(['owner', 'admin', 'approver', 'member', 'auditor', 'agent']);
    const owner = { layers: [BUILTIN_ROLES['owner'] ?? []] };
    for (const each of Object.values(BUILTIN_ROLES).flat()) {
      expect(PLATFORM_CAPABILITIES as readonly string[]).not.toContain(each.capability);
      expect(covers(owner, each, NOW)).toBe(true);
      expect(grantSchema.safeParse(each).success).toBe(true);
    }
    expect(BUILTIN_ROLES['agent']).toEqual([{ capability: 'verb.exec.read' }]);
  });

  it.each([
    [{ capability: 'root' }],
    [{ capability: 'audit.read', pack_id: '../x' }],
    [{ capability: 'audit.read', verb_keys: [] }],
    [{ capability: 'audit.read', project_id: 'p' }],
    [{ capability: 'audit.read', expires_at: 'tomorrow' }],
    [{ capability: 'audit.read', everything: true }],
    [{}],
  ])('refuses the grant %j', (value) => {
    expect(grantSchema.safeParse(value).success).toBe(false);
  });

  it('takes each capability', () => {
    for (const capability of CAPABILITIES)
      expect(grantSchema.parse({ capability, expires_at: LATER })).toEqual({ capability, expires_at: LATER });
  });
});
