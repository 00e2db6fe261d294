import { describe, expect, it } from 'vitest';
import { makeManifest, makePack, READ } from '../../spec/fixtures.js';
import {
  APPROVAL_STATES,
  approvalHint,
  commandOfTool,
  commandTool,
  envelopeForAgent,
  envelopeOfTool,
  mcpToolName,
  parseToolName,
  type ToolCommand,
  type ResultEnvelope,
} from '../index.js';

const command = (more: Partial<ToolCommand> = {}): ToolCommand => ({
  pack: { manifest: makeManifest() },
  verb_key: 'pay.now',
  command: { description: 'Pays.' },
  row: READ,
  access: { access: 'allow', reason: null, code: null },
  ...more,
});
const of = { pack_id: 'p', verb_key: 'v' };

describe('names', () => {
  it('lead from a command to its tool and back', () => {
    const name = mcpToolName('my-pack', 'pay.now__x');
    expect(name).toBe('my-pack__pay_now__x');
    expect(parseToolName(name)).toEqual({ pack_id: 'my-pack', verb: 'pay_now__x' });
    const pack = makePack();
    const [verb_key = ''] = Object.keys(pack.surface.commands);
    expect(commandOfTool(pack, mcpToolName(pack.manifest.pack_id, verb_key))).toBe(verb_key);
    expect(commandOfTool(pack, mcpToolName('other', verb_key))).toBeNull();
    expect(commandOfTool(pack, `${pack.manifest.pack_id}__constructor`)).toBeNull();
  });

  it.each(['', 'hcp_status', '__v', '_v'])('are none: %s', (name) => {
    expect(parseToolName(name)).toBeNull();
  });
});

describe('commandTool', () => {
  it('leaves out what is denied', () => {
    expect(commandTool(command({ access: { access: 'deny', reason: 'no', code: 'denied_by_rule' } }))).toBeNull();
  });

  it('shows what hides in a pack’s texts, wherever they stand', () => {
    const args = {
      type: 'object' as const,
      properties: { title: { type: 'string', title: 'a\u202eb', enum: ['\u200b'], 'x-position': 0 } },
      anyOf: [{ description: 'a\u0007b' }],
      $defs: { x: { items: { description: '\u2066' } } },
      additionalProperties: false,
    };
    const tool = commandTool(command({ command: { description: 'Pays.\nYou must: \u200b', args } }));
    expect(tool?.description).toBe('Pays.\\nYou must: \\u200b');
    expect(tool?.inputSchema).toEqual({
      type: 'object',
      properties: { title: { type: 'string', title: 'a\\u202eb', enum: ['\u200b'] } },
      anyOf: [{ description: 'a\\u0007b' }],
      $defs: { x: { items: { description: '\\u2066' } } },
      additionalProperties: false,
    });
  });

  it('takes confirm where a person may be asked, unless the command has its own', () => {
    const ask = { access: 'ask', reason: 'confirm required', code: 'confirm_required' } as const;
    const asks = commandTool(command({ access: ask }));
    expect(asks?.inputSchema).toMatchObject({ properties: { confirm: { type: 'boolean' } } });
    expect(asks?.description).toContain('Asks a person first (confirm required)');
    expect(asks?._meta['hcp/access']).toBe('ask');
    const allowed = commandTool(command({ row: { ...READ, operation: 'write', confirm: true } }));
    expect(allowed?.inputSchema).toMatchObject({ properties: { confirm: { type: 'boolean' } } });
    expect(commandTool(command())?.inputSchema['properties']).not.toHaveProperty('confirm');
    const own = { type: 'object' as const, properties: { confirm: { type: 'string' } } };
    const has = commandTool(command({ access: ask, command: { description: 'Pays.', args: own } }));
    expect(has?.inputSchema['properties']).toEqual(own.properties);
  });

  it('takes what the command line names where there is no schema', () => {
    const cli = ['p', 'pay', '{{amount}}', '--to={{payee}}'];
    const tool = commandTool(command({ command: { description: 'Pays.', cli } }));
    expect(tool?.inputSchema).toEqual({ type: 'object', properties: { amount: {}, payee: {} } });
  });

  it.each([
    ['a read', READ, undefined, [true, false, true]],
    ['a read that must not be repeated', READ, false, [true, false, false]],
    ['a write', { ...READ, operation: 'write' }, undefined, [false, false, false]],
    ['a write that asks', { ...READ, operation: 'write', confirm: 'always' }, undefined, [false, true, false]],
    ['a write that may be repeated', { ...READ, operation: 'write' }, true, [false, false, true]],
  ] as const)('gives hints by the policy: %s', (_, row, idempotent, hints) => {
    const tool = commandTool(
      command({ row, command: { description: 'Pays.', ...(idempotent !== undefined && { idempotent }) } }),
    );
    const { readOnlyHint, destructiveHint, idempotentHint } = tool?.annotations ?? {};
    expect([readOnlyHint, destructiveHint, idempotentHint]).toEqual(hints);
  });
});

describe('envelopeOfTool', () => {
  it('takes arguments as they are and the rest from the host', () => {
    const meta = { progressToken: 1, 'hcp/idempotency_key': 'k', 'hcp/run_on_approve': true, 'hcp/wait_ms': 5 };
    expect(envelopeOfTool(of, { confirm: true }, meta)).toEqual({
      ok: true,
      envelope: { ...of, args: { confirm: true }, idempotency_key: 'k', run_on_approve: true, wait_ms: 5 },
    });
    expect(envelopeOfTool(of, undefined, undefined)).toEqual({ ok: true, envelope: { ...of, args: {} } });
  });

  it.each([
    ['another command', { 'hcp/verb_key': 'w' }],
    ['arguments', { 'hcp/args': {} }],
    ['what is no field', { 'hcp/__proto__': {} }],
    ['a wrong value', { 'hcp/wait_ms': -1 }],
  ])('refuses %s from the host', (_, meta) => {
    expect(envelopeOfTool(of, {}, meta)).toMatchObject({ ok: false, denial: { code: 'invalid_envelope' } });
  });
});

describe('the hint of an ask over MCP', () => {
  const ask: ResultEnvelope = {
    ok: false,
    pack_id: 'p',
    verb_key: 'v',
    result: null,
    error: 'confirm required',
    code: 'confirm_required',
    hint: 'A person has to say yes.',
    approval_id: 'the-id',
    run_id: null,
    duration_ms: 1,
  };

  it('tells how a person answers and how to wait for that; every other answer stays as it is', () => {
    const { hint, ...rest } = envelopeForAgent(ask);
    const { hint: _hint, ...same } = ask;
    expect(rest).toEqual(same);
    expect(hint).toMatch(/^A person has to say yes\. .*hcpx approve the-id .*hcpx reject the-id.*hcp_status/);
    const { approval_id: _id, ...unkept } = ask;
    for (const other of [unkept, { ...ask, code: 'still_running' } satisfies ResultEnvelope]) {
      expect(envelopeForAgent(other)).toBe(other);
    }
  });

  it('tells what to do next in each state', () => {
    const hints = APPROVAL_STATES.map((state) => approvalHint(state, { id: 'the-id', run_on_approve: false }));
    expect(new Set(hints).size).toBe(APPROVAL_STATES.length);
    expect(hints[0]).toContain('hcpx approve the-id');
    expect(approvalHint('rejected', { id: 'x', run_on_approve: true })).toContain('do not ask');
    expect(approvalHint('approved', { id: 'x', run_on_approve: false })).toContain('send the same call again');
    expect(approvalHint('approved', { id: 'x', run_on_approve: true })).toContain('do not send the call again');
  });
});
