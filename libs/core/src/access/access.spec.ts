import { describe, expect, it } from 'vitest';
import { agent, call, layerOf, layersOf, packWith, rule, service } from '../../spec/access.js';
import { makeCaller } from '../../spec/fixtures.js';
import {
  baseMode,
  checkRule,
  effectiveApprovals,
  MODES,
  type AccessLayers,
  type Decision,
  type PolicyRow,
  type Rule,
} from '../index.js';

/** Such as `ask confirm auto`, `deny ledger.*` or `allow by rule`. */
function words(decision: Decision): string {
  switch (decision.decision) {
    case 'allow':
      return `allow by ${decision.plan.approved_by ?? 'nobody'}`;
    case 'deny':
      return `${decision.denial.code}: ${decision.denial.error}`;
    case 'ask':
      return `ask ${decision.access?.reason_code ?? '?'} ${decision.access?.mode ?? '?'}`;
  }
}

const base = (rules: Rule[], change: Partial<AccessLayers['base']> = {}): AccessLayers =>
  layersOf({ base: layerOf(rules, change) });

describe('modes (SPEC A1, A2)', () => {
  it.each<[string, PolicyRow['operation'], PolicyRow['confirm'], string]>([
    ['manual', 'read', false, 'allow by mode'],
    ['manual', 'write', false, 'ask mode_manual manual'],
    ['manual', 'connect', true, 'ask mode_manual manual'],
    ['auto', 'write', false, 'allow by mode'],
    ['auto', 'write', true, 'ask confirm auto'],
    ['auto', 'read', true, 'ask confirm auto'],
    ['run', 'write', true, 'allow by mode'],
    ['run', 'write', 'always', 'ask confirm_always run'],
    ['auto', 'write', 'always', 'ask confirm_always auto'],
    ['manual', 'write', 'always', 'ask confirm_always manual'],
    ['careful', 'read', false, 'ask mode_manual careful'],
  ])('mode %s, %s with confirm %s: %s', (mode, operation, confirm, wanted) => {
    const layers = base([], { mode: mode as 'auto' });
    expect(words(call({ layers, operation, confirm }))).toBe(wanted);
  });

  it('gives an ask the protocol’s words', () => {
    expect(call({})).toMatchObject({
      denial: { code: 'confirm_required', error: 'confirm required' },
      access: {
        mode: 'auto',
        reason: 'Policy confirm "always": every mode asks',
        reason_code: 'confirm_always',
        approvals: 'human',
      },
      preview: { cli: 'ledger transfer 2.80 --to demo-transit --confirm' },
    });
  });
});

describe('the base’s mode (SPEC A6)', () => {
  const set = (change: Partial<AccessLayers>) => {
    const { mode, layer, ignored } = baseMode(layersOf(change), 'ledger');
    return `${mode} by ${layer}${ignored.length > 0 ? ', ignored' : ''}`;
  };
  const tenant = layerOf([], { mode: 'auto', pack_modes: { ledger: 'manual' } });

  it.each<[string, Partial<AccessLayers>, string]>([
    ['nobody', {}, 'auto by default'],
    ['the tenant', { base: layerOf([], { mode: 'run' }) }, 'run by tenant'],
    ['the pack', { base: tenant }, 'manual by pack'],
    ['one’s own', { base: tenant, own_mode: 'run' }, 'run by member'],
    ['the process, stricter', { process_mode: 'manual' }, 'manual by process'],
    ['the process, looser', { process_mode: 'run' }, 'auto by default, ignored'],
    ['the process, looser and let', { process_mode: 'run', max_mode: 'run' }, 'run by process'],
    [
      'the process, beyond what it was let',
      { base: tenant, process_mode: 'run', max_mode: 'auto' },
      'auto by process, ignored',
    ],
    ['a bound stricter than what is set', { process_mode: 'run', max_mode: 'manual' }, 'auto by default, ignored'],
    ['a bound alone', { max_mode: 'run' }, 'auto by default'],
  ])('%s', (_, change, wanted) => {
    expect(set(change)).toBe(wanted);
  });
});

describe('rules', () => {
  it('deny with the protocol’s words, whatever the mode and whoever says yes', () => {
    for (const mode of MODES) {
      const layers = base([rule('ledger.*', 'deny'), rule('ledger.transfer', 'allow')], { mode });
      expect(words(call({ layers, args: { confirm: true } }))).toBe('denied_by_rule: denied by rule ledger.*');
    }
    expect(words(call({ layers: base([rule('*', 'deny', { op: 'write' })]) }))).toBe(
      'denied_by_rule: denied by rule *',
    );
  });

  it('run the example of the protocol: fares up to five', () => {
    const fares = rule('ledger.transfer', 'allow', { when: { args: { payee: 'demo-transit' }, max: { amount: 5 } } });
    const layers = base([fares], { mode: 'manual' });
    expect(words(call({ layers, caller: agent }))).toBe('allow by rule');
    expect(words(call({ layers, caller: agent, args: { amount: '5.01' } }))).toBe('ask confirm_always manual');
    expect(words(call({ layers, caller: agent, args: { payee: 'demo-landlord' } }))).toBe('ask confirm_always manual');
  });

  it('an allow counts only for the text of the command that it was written for (SPEC P7)', () => {
    const fares = { ...rule('ledger.transfer', 'allow'), text: 'then' };
    const now = (text: string) => layersOf({ base: layerOf([fares]), textOf: () => text });
    expect(words(call({ layers: now('then') }))).toBe('allow by rule');
    expect(words(call({ layers: now('now') }))).toBe('ask confirm_always auto');
    const denied = { ...rule('ledger.transfer', 'deny'), text: 'then' };
    const layers = layersOf({ base: layerOf([denied]), textOf: () => 'now' });
    expect(words(call({ layers }))).toBe('denied_by_rule: denied by rule ledger.transfer');
  });
});

describe('project and platform (SPEC A6)', () => {
  it.each<[string, Partial<AccessLayers>, string]>([
    ['an allow does not loosen', { project: layerOf([rule('ledger.transfer', 'allow')]) }, 'ask confirm_always auto'],
    [
      'mode run does not loosen',
      { base: layerOf([], { mode: 'manual' }), project: layerOf([], { mode: 'run' }) },
      'ask confirm_always manual',
    ],
    [
      'mode run does not tighten either',
      { base: layerOf([rule('ledger.transfer', 'allow')]), project: layerOf([], { mode: 'run' }) },
      'allow by rule',
    ],
    [
      'a stricter mode asks in spite of an allow',
      { base: layerOf([rule('ledger.transfer', 'allow')]), project: layerOf([], { mode: 'manual' }) },
      'ask confirm_always manual',
    ],
    [
      'a deny wins',
      { base: layerOf([rule('ledger.transfer', 'allow')]), platform: layerOf([rule('*', 'deny')]) },
      'denied_by_rule: denied by rule *',
    ],
    [
      'an ask wins over an allow',
      { base: layerOf([rule('ledger.transfer', 'allow')]), project: layerOf([rule('*', 'ask')]) },
      'ask rule_ask auto',
    ],
  ])('%s', (_, change, wanted) => {
    expect(words(call({ layers: layersOf(change) }))).toBe(wanted);
  });

  it('let an agent’s yes count only where the tenant does and nobody objects', () => {
    const by_agent = layerOf([], { approvals: 'agent' });
    expect(effectiveApprovals(layersOf({}))).toBe('human');
    expect(effectiveApprovals(layersOf({ project: by_agent }))).toBe('human');
    expect(effectiveApprovals(layersOf({ base: by_agent, project: by_agent }))).toBe('agent');
    expect(effectiveApprovals(layersOf({ base: by_agent, process_approvals: 'human' }))).toBe('human');
    expect(effectiveApprovals(layersOf({ process_approvals: 'agent' }))).toBe('human');
    expect(effectiveApprovals(layersOf({ base: by_agent, platform: layerOf([], { approvals: 'human' }) }))).toBe(
      'human',
    );
  });
});

describe('whose yes (SPEC A5)', () => {
  const yes = { confirm: true };
  const by_agent = base([], { approvals: 'agent' });

  it('a person’s own, where they sit; not by key, nor by an agent’s hand', () => {
    expect(words(call({ args: yes }))).toBe('allow by human');
    expect(words(call({ args: { apply: true } }))).toBe('allow by human');
    expect(words(call({ args: { confirm: 'true' } }))).toMatch(/^ask/);
    expect(words(call({ args: yes, caller: makeCaller({ session: { api_key_id: 'k' } }) }))).toMatch(/^ask/);
    expect(words(call({ args: yes, caller: makeCaller({ session: { interactive: false } }) }))).toMatch(/^ask/);
    expect(words(call({ args: yes, caller: makeCaller({ is_agent: true }) }))).toMatch(/^ask/);
    expect(words(call({ args: yes, layers: base([rule('*', 'ask')]) }))).toBe('allow by human');
  });

  it.each([
    ['second_person', { second_person: true }],
    ['approvers', { approvers: 2 }],
    ['reason_required', { reason_required: true }],
    ['of the pack', { narrower: { packs: { ledger: { second_person: true } } } }],
    ['of the command', { narrower: { commands: { 'ledger.transfer': { approvers: 3 } } } }],
    ['of the kind of view', { narrower: { kinds: { payment: { second_person: true } } } }],
  ])('no yes of the caller alone where the tenant wants more: %s', (_, approving) => {
    expect(words(call({ args: yes, layers: layersOf({ approving }) }))).toMatch(/^ask/);
    const layers = layersOf({ base: layerOf([], { approvals: 'agent' }), approving });
    expect(words(call({ args: yes, confirm: true, caller: agent, layers }))).toMatch(/^ask/);
  });

  it('an agent’s or service’s only where approvals say so, the code is confirm and no rule asked', () => {
    for (const caller of [agent, service]) {
      expect(words(call({ args: yes, confirm: true, caller }))).toBe('ask confirm auto');
      expect(words(call({ args: yes, confirm: true, caller, layers: by_agent }))).toBe('allow by agent');
      expect(words(call({ args: yes, confirm: 'always', caller, layers: by_agent }))).toBe('ask confirm_always auto');
      const manual = base([], { approvals: 'agent', mode: 'manual' });
      expect(words(call({ args: yes, confirm: true, caller, layers: manual }))).toBe('ask mode_manual manual');
      const asked = { ...by_agent, project: layerOf([rule('ledger.*', 'ask')]) };
      expect(words(call({ args: yes, confirm: true, caller, layers: asked }))).toBe('ask rule_ask auto');
    }
  });
});

describe('a rule that someone wants to save (SPEC A3)', () => {
  const packOf = (pack_id: string) => (pack_id === 'ledger' ? packWith('always') : null);
  const paths = (value: unknown) => {
    const checked = checkRule(value, packOf);
    return checked.ok ? 'ok' : checked.problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
  };

  it.each<[unknown, string]>([
    [rule('ledger.transfer', 'allow', { when: { args: { payee: 'x' }, max: { amount: 5 } } }), 'ok'],
    [
      rule('ledger.transfer', 'allow', { when: { max: { amout: 5 } } }),
      'when.max.amout: ledger.transfer has no argument amout',
    ],
    [
      rule('ledger.balance', 'deny', { when: { min: { amount: 5 } } }),
      'when.min.amount: ledger.balance has no argument amount',
    ],
    [rule('ledger.*', 'ask', { when: { min: { amount: 5 } } }), 'ok'],
    [rule('*', 'ask', { when: { args: { anything: 'x' } } }), 'ok'],
    [rule('ledger.transfr', 'deny'), 'match: pack ledger has no such command'],
    [rule('gh.*', 'ask'), 'ok'],
    [rule('gh.pr', 'allow'), 'match: there is no pack gh to allow anything of'],
    [
      rule('gh.pr', 'deny', { when: { args: { repo: 'x' } } }),
      'when.args.repo: there is no pack gh that has this argument',
    ],
  ])('%j: %s', (value, wanted) => {
    expect(paths(value)).toBe(wanted);
  });

  it('warns of an allow of everything, and of an operation that the command has not', () => {
    const warned = (value: unknown): unknown => {
      const checked = checkRule(value, packOf);
      return checked.ok ? checked.warnings.map(({ path, message }) => `${path}: ${message}`) : checked.problems;
    };
    expect(warned(rule('*', 'allow'))).toEqual(['match: * lets every command of every pack run without a question']);
    expect(warned(rule('*', 'allow', { op: 'read' }))).toEqual([
      'match: * lets every read command of every pack run without a question',
    ]);
    for (const decision of ['ask', 'deny']) expect(warned(rule('*', decision as 'ask'))).toEqual([]);
    expect(warned(rule('ledger.transfer', 'deny', { op: 'read' }))).toEqual([
      'op: ledger.transfer is of operation write: with op read this rule never fits',
    ]);
    expect(warned(rule('ledger.transfer', 'deny', { op: 'write' }))).toEqual([]);
  });

  it('warns of a deny with max and names min, and of a pack that is not there', () => {
    expect(checkRule(rule('ledger.transfer', 'deny', { when: { max: { amount: 5 } } }), packOf)).toMatchObject({
      ok: true,
      warnings: [{ path: 'when.max.amount', message: expect.stringContaining('min') as string }],
    });
    expect(checkRule(rule('gh.*', 'ask'), packOf)).toMatchObject({ ok: true, warnings: [{ path: 'match' }] });
  });
});
