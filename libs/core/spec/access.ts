import {
  decide,
  DEFAULT_ACCESS,
  EMPTY_LAYER,
  RuleSet,
  type AccessLayers,
  type Caller,
  type Decision,
  type LayerSettings,
  type Pack,
  type PolicyRow,
  type Rule,
} from '../src/index.js';
import { makeCaller, makePack, NOW, READ, TRANSFER } from './fixtures.js';

/** Layers as a spec wants them: what is left out was set by nobody. */
export const layersOf = (change: Partial<AccessLayers> = {}): AccessLayers => ({ ...DEFAULT_ACCESS, ...change });

export const layerOf = (rules: readonly Rule[], change: Partial<LayerSettings> = {}): LayerSettings => ({
  ...EMPTY_LAYER,
  rules: new RuleSet(rules),
  ...change,
});

const args = {
  type: 'object',
  properties: { amount: { type: 'number' }, payee: { type: 'string' }, memo: { type: 'string' } },
} as const;

/** One command that moves money, with this row, and one that reads. */
export function packWith(confirm: PolicyRow['confirm'], operation: PolicyRow['operation'] = 'write'): Pack {
  return makePack({
    commands: { transfer: { ...TRANSFER, args }, balance: { description: 'x', cli: ['ledger', 'balance'] } },
    rows: { transfer: { ...READ, operation, confirm }, balance: READ },
  });
}

/** What is asked, where it is not the usual. */
export interface Call {
  readonly layers?: AccessLayers;
  readonly confirm?: PolicyRow['confirm'];
  readonly operation?: PolicyRow['operation'];
  readonly caller?: Caller;
  readonly args?: Record<string, unknown>;
}

export function call({
  layers = layersOf(),
  confirm = 'always',
  operation,
  caller = makeCaller(),
  args = {},
}: Call): Decision {
  return decide({
    envelope: { pack_id: 'ledger', verb_key: 'transfer', args: { amount: '2.80', payee: 'demo-transit', ...args } },
    caller,
    facts: { known: true, active: true, pack: packWith(confirm, operation) },
    project_id: null,
    check: () => null,
    access: layers,
    now: NOW,
  });
}

export const rule = (match: string, decision: Rule['decision'], more: Partial<Rule> = {}): Rule => ({
  match,
  decision,
  ...more,
});
export const agent = makeCaller({
  principal: { id: 'a', kind: 'agent' },
  is_agent: true,
  session: { interactive: false },
});
export const service = makeCaller({ principal: { id: 's', kind: 'service' }, session: { interactive: false } });
