import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anySchema, everything, makeCaller, makePack, NOW, OTHER_PROJECT, PROJECT, READ } from '../../spec/fixtures.js';
import {
  decide,
  DEFAULT_ACCESS,
  type Command,
  type Decision,
  type DecideRequest,
  type ExecEnvelope,
  type Manifest,
  type Pack,
  type PolicyRow,
} from '../index.js';

const WRITE: PolicyRow = { operation: 'write', confirm: true, privacy: { land: 'personal' } };

function oneCommand(row: Partial<PolicyRow>, command: Partial<Command> = {}, manifest: Partial<Manifest> = {}): Pack {
  const shown: Command = { description: 'x', cli: ['ledger', 'go', '{{amount}}', '--to', '{{to}}'], ...command };
  return makePack({ commands: { go: shown }, rows: { go: { ...READ, ...row } }, manifest });
}

function ask(
  pack: Pack | null,
  change: Partial<Omit<DecideRequest, 'envelope'>> & { envelope?: Partial<ExecEnvelope> } = {},
): Decision {
  return decide({
    caller: makeCaller(),
    facts: { known: true, active: true, pack },
    project_id: null,
    check: anySchema,
    access: DEFAULT_ACCESS,
    now: NOW,
    ...change,
    envelope: { pack_id: 'ledger', verb_key: 'go', args: {}, ...change.envelope },
  });
}

/** `code: error` of a refusal, so that the table reads like the specification's. */
function refusal(decision: Decision): string {
  if (decision.decision === 'allow') return 'allow';
  expect(decision.denial.hint.length).toBeGreaterThan(10);
  return `${decision.decision} ${decision.denial.code}: ${decision.denial.error}`;
}

const plan = (decision: Decision) => {
  if (decision.decision !== 'allow') throw new Error(decision.denial.error);
  return decision.plan;
};

describe('decide: a command that is not there', () => {
  const row = { binding: 'public', confirm: false, privacy: { land: 'public' } } as const;
  const pack = makePack({
    commands: { balance: { description: 'x' }, transfer: { description: 'x' }, constructor: { description: 'x' } },
    rows: { balance: { ...row, operation: 'read' }, transfer: { ...row, operation: 'write' } },
  });
  const hint = (verb_key: string, capabilities: ('verb.exec.read' | 'verb.exec.write')[]): string => {
    const layer = capabilities.map((capability) => ({ capability }));
    const decision = ask(pack, { envelope: { verb_key }, caller: makeCaller({ authority: { layers: [layer] } }) });
    if (decision.decision === 'allow') throw new Error('it is not there');
    expect(decision.denial).toMatchObject({ code: 'no_policy', error: `no policy for ${verb_key}` });
    return decision.denial.hint;
  };

  it('is told the nearest of those that the caller may run, and no others', () => {
    const both = ['verb.exec.read', 'verb.exec.write'] as const;
    expect(hint('blance', [...both])).toBe('Did you mean balance? You may run of ledger: balance, transfer.');
    expect(hint('xyz', [...both])).toBe('You may run of ledger: balance, transfer.');
    expect(hint('blance', ['verb.exec.write'])).toBe('You may run of ledger: transfer.');
    expect(hint('blance', [])).toBe('Look at the list of commands for those of ledger that you may run.');
  });
});

describe('decide: the texts of the denials (SPEC E3)', () => {
  const named = makePack({
    commands: { 'mail.send': { description: 'x', cli: ['mail'] } },
    rows: { 'mail.send': WRITE },
    manifest: { pack_id: 'mail' },
  });
  const nobody = makeCaller({ authority: { layers: [[]] } });

  it.each<[string, () => Decision, string]>([
    [
      '1 unknown',
      () => ask(null, { facts: { known: false, active: false, pack: null } }),
      'deny unknown_pack: unknown pack ledger',
    ],
    [
      '1 not active',
      () => ask(oneCommand({}), { facts: { known: true, active: false, pack: oneCommand({}) } }),
      'deny pack_not_activated: pack ledger not activated',
    ],
    ['1 no text of it', () => ask(null), 'deny pack_not_activated: pack ledger not activated'],
    [
      '1 not of the session',
      () => ask(oneCommand({}), { caller: makeCaller({ session: { packs: ['other'] } }) }),
      'deny pack_not_activated: pack ledger not activated',
    ],
    [
      '1 no command',
      () => ask(oneCommand({}), { envelope: { verb_key: 'toString' } }),
      'deny no_policy: no policy for toString',
    ],
    [
      '1 no row',
      () => ask(makePack({ rows: {} }), { envelope: { verb_key: 'transfer' } }),
      'deny no_policy: no policy for transfer',
    ],
    ['1 unknown operation', () => ask(oneCommand({ operation: 'sudo' as 'read' })), 'deny no_policy: no policy for go'],
    [
      '1 unknown land',
      () => ask(oneCommand({ privacy: { land: 'sea' as 'brain' } })),
      'deny no_policy: no policy for go',
    ],
    [
      '2 brain',
      () => ask(oneCommand({ privacy: { land: 'brain' } })),
      'deny land_requires_project: privacy.land brain requires project_id',
    ],
    [
      '2 brain of others',
      () => ask(oneCommand({ privacy: { land: 'brain' } }), { project_id: OTHER_PROJECT }),
      'deny land_requires_project: privacy.land brain requires project_id',
    ],
    [
      '2 local',
      () => ask(oneCommand({ privacy: { land: 'local' } })),
      'deny land_requires_project: privacy.land local requires project_id',
    ],
    [
      '2 a project workspace',
      () => ask(oneCommand({}, {}, { wrap: { bin: 'b', workspace: { mode: 'project' } } })),
      'deny land_requires_project: workspace.mode project requires project_id',
    ],
    [
      '3 read',
      () => ask(oneCommand({}), { caller: nobody }),
      'deny missing_capability: denied: missing verb.exec.read for ledger.go',
    ],
    [
      '3 write',
      () => ask(named, { caller: nobody, envelope: { pack_id: 'mail', verb_key: 'mail.send' } }),
      'deny missing_capability: denied: missing verb.exec.write for mail.mail.send',
    ],
    [
      '3 connect',
      () => ask(oneCommand({ operation: 'connect' }), { caller: nobody }),
      'deny missing_capability: denied: missing pack.connect for ledger.go',
    ],
    [
      '3 mothership',
      () => ask(oneCommand({ binding: 'mothership' })),
      'deny missing_capability: denied: missing fleet.run for ledger.go',
    ],
    [
      '3b schema',
      () =>
        ask(oneCommand({}, { args: { type: 'object' } }), {
          check: () => ({ path: '/amount', why: 'must be number' }),
        }),
      'deny invalid_args: invalid args: amount must be number',
    ],
    [
      '3b undeclared',
      () => ask(oneCommand({}, { args: { type: 'object' } }), { envelope: { args: { amonut: 's3cr3t' } } }),
      'deny invalid_args: invalid args: amonut is no argument of this command',
    ],
    [
      '3b an option',
      () => ask(oneCommand(WRITE), { envelope: { args: { amount: '--all' } } }),
      'deny invalid_args: invalid args: amount begins with "-" and would be read as an option',
    ],
    [
      '3b an object',
      () => ask(oneCommand({}), { envelope: { args: { to: { a: 1 } } } }),
      'deny invalid_args: invalid args: to must be a text, a number or a boolean',
    ],
    [
      '3b NUL',
      () => ask(oneCommand({}), { envelope: { args: { to: '\u0000' } } }),
      'deny invalid_args: invalid args: to holds a NUL character',
    ],
    ['4 confirm', () => ask(oneCommand(WRITE)), 'ask confirm_required: confirm required'],
    ['4 always', () => ask(oneCommand({ ...WRITE, confirm: 'always' })), 'ask confirm_required: confirm required'],
  ])('%s', (_, call, expected) => {
    expect(refusal(call())).toBe(expected);
  });

  it('keeps the order: each step is reached only past the one before', () => {
    const pack = oneCommand({ ...WRITE, privacy: { land: 'brain' } });
    const bad = { envelope: { args: { amount: '--x' } }, project_id: PROJECT };
    expect(refusal(ask(pack, { ...bad, caller: nobody, project_id: null }))).toContain('land_requires_project');
    expect(refusal(ask(pack, { ...bad, caller: makeCaller({ authority: { layers: [[]] } }) }))).toContain(
      'missing_capability',
    );
    expect(refusal(ask(pack, bad))).toContain('invalid_args');
    expect(refusal(ask(pack, { project_id: PROJECT }))).toContain('confirm_required');
  });
});

describe('decide: step 4', () => {
  const person = makeCaller();
  const pack = oneCommand(WRITE);

  it.each(['confirm', 'apply'])('a person says yes by %s, for "always" too', (word) => {
    for (const confirm of [true, 'always'] as const) {
      const allowed = plan(ask(oneCommand({ ...WRITE, confirm }), { envelope: { args: { amount: 1, [word]: true } } }));
      expect(allowed).toMatchObject({ approved_by: 'human', mode: 'auto', args: { amount: 1 } });
    }
  });

  it.each([
    ['an agent', makeCaller({ principal: { id: 'a', kind: 'agent' }, is_agent: true })],
    ['an agent that is not flagged', makeCaller({ principal: { id: 'a', kind: 'agent' } })],
    ["an agent with a person's token", makeCaller({ is_agent: true })],
    ['a service', makeCaller({ principal: { id: 's', kind: 'service' } })],
    ["a person's API key", makeCaller({ session: { interactive: false, api_key_id: 'k' } })],
    ['a key that says it is interactive', makeCaller({ session: { api_key_id: 'k' } })],
  ])('%s cannot say yes', (_, caller) => {
    const decision = ask(pack, { caller, envelope: { args: { confirm: true, apply: true }, approval_id: 'x' } });
    expect(refusal(decision)).toBe('ask confirm_required: confirm required');
    expect(decision).toMatchObject({ denial: { hint: expect.stringContaining('rerun the call unchanged') as string } });
  });

  it('shows what is asked, and why', () => {
    const decision = ask(oneCommand({ ...WRITE, confirm: 'always' }), {
      envelope: { args: { amount: '2.80', to: 'x y', confirm: 'yes' } },
    });
    expect(decision).toEqual({
      judged: expect.objectContaining({ decision: 'ask', layer: 'default' }) as object,
      plan: expect.objectContaining({ verb_key: 'go', approved_by: null }) as unknown,
      decision: 'ask',
      denial: {
        code: 'confirm_required',
        error: 'confirm required',
        hint: expect.stringContaining('args.confirm: true') as string,
      },
      access: {
        mode: 'auto',
        reason: 'Policy confirm "always": every mode asks',
        reason_code: 'confirm_always',
        approvals: 'human',
      },
      preview: { command: 'go', args: { amount: '2.80', to: 'x y' }, cli: "ledger go 2.80 --to 'x y'" },
      known: {
        pack_version: '1.0.0',
        pack_digest: 'sha256:00',
        operation: 'write',
        land: 'personal',
        family: 'public',
        project_id: null,
        arg_names: ['amount', 'to'],
        mode: 'auto',
      },
    });
  });

  it('takes an attestation from nobody but a service with the right to it', () => {
    const approval = { by: 'human', id: 'x' } as const;
    const attest = { capability: 'approval.attest' } as const;
    const all = { layers: [[...everything, attest]] };
    const service = { id: 's', kind: 'service' } as const;
    for (const caller of [
      person,
      makeCaller({ authority: all }),
      makeCaller({ principal: service }),
      makeCaller({ principal: service, is_agent: true, authority: all }),
    ]) {
      expect(refusal(ask(oneCommand({}), { caller, envelope: { approval } }))).toContain('deny human_only');
    }
    expect(
      refusal(
        ask(oneCommand({}), { caller: makeCaller({ principal: service, authority: all }), envelope: { approval } }),
      ),
    ).toBe('allow');
  });
});

describe('decide: the plan', () => {
  it('has what a run needs', () => {
    const pack = oneCommand(
      {},
      { idempotent: false },
      { wrap: { bin: 'bin/x', timeout_ms: 5000, workspace: { mode: 'ephemeral' } } },
    );
    expect(plan(ask(pack, { envelope: { args: { to: 'b', amount: 1, stray: 2, mode: 'live' } } }))).toEqual({
      judged: expect.objectContaining({ decision: 'allow', layer: 'default', ruling: null }) as object,
      pack,
      verb_key: 'go',
      row: READ,
      family: 'public',
      land: 'personal',
      operation: 'read',
      project_id: null,
      args: { to: 'b', amount: 1, stray: 2 },
      arg_names: ['amount', 'to'],
      control: { confirm: false, mode: 'live' },
      workspace_mode: 'ephemeral',
      timeout_ms: 5000,
      idempotent: false,
      mode: 'auto',
      approved_by: 'mode',
      steps: [],
    });
  });

  it('uses the mock binding only where the caller asks for it by that very word', () => {
    const families = ['mock', 'Mock', true, undefined].map(
      (mode) => plan(ask(oneCommand({ binding: 'user' }), { envelope: { args: { mode } } })).family,
    );
    expect(families).toEqual(['mock', 'user', 'user', 'user']);
  });

  it('does not skip a step for mock', () => {
    expect(refusal(ask(oneCommand(WRITE), { envelope: { args: { mode: 'mock' } } }))).toContain('confirm_required');
  });

  it('lets reads be repeated, and nothing else', () => {
    expect(plan(ask(oneCommand({}))).idempotent).toBe(true);
    expect(plan(ask(oneCommand({ ...WRITE, confirm: false }, { idempotent: true }))).idempotent).toBe(false);
  });

  it("takes the session's project, and refuses another one", () => {
    const caller = makeCaller({
      session: { project_id: PROJECT },
      authority: { layers: [[{ capability: 'verb.exec.read', project_id: PROJECT }]] },
    });
    expect(plan(ask(oneCommand({ privacy: { land: 'brain' } }), { caller })).project_id).toBe(PROJECT);
    const wide = makeCaller({ session: { project_id: PROJECT } });
    expect(refusal(ask(oneCommand({}), { caller: wide, project_id: OTHER_PROJECT }))).toContain(
      'missing verb.exec.read for ledger.go',
    );
    expect(refusal(ask(oneCommand({}), { caller, project_id: OTHER_PROJECT }))).toContain(
      'missing verb.exec.read for ledger.go',
    );
    expect(refusal(ask(oneCommand({ operation: 'connect' }), { caller: wide, project_id: OTHER_PROJECT }))).toContain(
      'missing pack.connect for ledger.go',
    );
  });

  it('lets hcp-cli into every session', () => {
    const pack = makePack({
      manifest: { pack_id: 'hcp-cli', kind: 'composite', wrap: undefined },
      commands: { 'hcp.doctor': { description: 'x' } },
      rows: { 'hcp.doctor': READ },
    });
    const caller = makeCaller({ session: { packs: [] } });
    expect(refusal(ask(pack, { caller, envelope: { pack_id: 'hcp-cli', verb_key: 'hcp.doctor' } }))).toBe('allow');
  });

  it('renders and validates a control word that the command declares, and still heeds it', () => {
    const seen: unknown[] = [];
    const pack = oneCommand(
      { ...WRITE, binding: 'user' },
      { cli: ['t', '--mode={{mode}}'], args: { type: 'object', properties: { mode: { type: 'string' } } } },
    );
    const decision = ask(pack, {
      envelope: { args: { mode: 'mock', confirm: true } },
      check: (_, value) => (seen.push(value), null),
    });
    expect(plan(decision)).toMatchObject({ family: 'mock', args: { mode: 'mock' }, arg_names: ['mode'] });
    expect(seen).toEqual([{ mode: 'mock' }]);
  });
});

describe('decide, for all calls', () => {
  it('never throws, whatever a check or a pack does', () => {
    const decision = ask(oneCommand({}, { args: { type: 'object' } }), {
      check: () => {
        throw new Error('s3cr3t');
      },
    });
    expect(refusal(decision)).toBe('deny internal: the call could not be decided');
    const broken = {
      manifest: {},
      surface: { commands: { go: {} } },
      policy: { commands: { go: {} } },
    } as unknown as Pack;
    expect(ask(broken).decision).toBe('deny');
    const values = fc.dictionary(
      fc.constantFrom('amount', 'to', 'confirm', 'apply', 'mode', '__proto__', 'x'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(values, (args) =>
        ['allow', 'ask', 'deny'].includes(ask(oneCommand(WRITE), { envelope: { args } }).decision),
      ),
    );
  });

  it('lets no agent, service or key through a gate, and repeats no value', () => {
    const kinds = fc.constantFrom(
      makeCaller({ principal: { id: 'a', kind: 'agent' }, is_agent: true }),
      makeCaller({ principal: { id: 's', kind: 'service' } }),
      makeCaller({ session: { interactive: false, api_key_id: 'k' } }),
    );
    const args = fc.dictionary(
      fc.constantFrom('amount', 'to', 'confirm', 'apply', 'mode'),
      fc.oneof(fc.boolean(), fc.jsonValue(), fc.constant('-s3cr3t')),
    );
    fc.assert(
      fc.property(kinds, args, (caller, given) => {
        const decision = ask(oneCommand(WRITE), { caller, envelope: { args: given } });
        expect(decision.decision).not.toBe('allow');
        if (decision.decision !== 'allow')
          expect(JSON.stringify([decision.denial, decision.known])).not.toContain('s3cr3t');
      }),
    );
  });
});
