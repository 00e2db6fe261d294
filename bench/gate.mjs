import { createRequire } from 'node:module';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createMongoAbility } from '@casl/ability';
import { StringAdapter, newEnforcer, newModelFromString } from 'casbin';
import { defaultAuthorize, DEFAULT_ACCESS, EMPTY_LAYER, judgeAccess, RuleSet } from '@hcp/core';

/**
 * Decisions per second of grants and rules, in one process: may this principal cause this effect at all, and does it run
 * without asking? Beside the same rules in three authorisation libraries, in turn in the same run. Nothing is loaded or
 * stored in a decision.
 */
const cedar = createRequire(import.meta.url)('@cedar-policy/cedar-wasm/nodejs');
const SIZES = [10, 100, 1000, 10_000];
const ROUNDS = Number(process.env.ROUNDS ?? 5);
/** Milliseconds that one measurement takes at least. */
const SLICE_MS = 200;

/**
 * The rules of a tenant: packs of ten commands each; every fifth denies, the others allow small amounts to one payee.
 * One grant lets the principal write in every pack.
 */
function rulesOf(count) {
  return Array.from({ length: count }, (_, index) => {
    const match = `pack-${String(Math.floor(index / 10))}.verb-${String(index % 10)}`;
    return index % 5 === 4
      ? { match, decision: 'deny', when: { min: { amount: 100 } } }
      : { match, decision: 'allow', when: { args: { payee: `payee-${String(index)}` }, max: { amount: 5 } } };
  });
}

/** Calls all over the rules: most are allowed, some denied, some match none. */
function callsOf(count) {
  const calls = [];
  for (let step = 0; step < 256; step += 1) {
    const index = (step * 7919) % count;
    const denies = index % 5 === 4;
    calls.push({
      pack_id: `pack-${String(Math.floor(index / 10))}`,
      verb_key: `verb-${String(index % 10)}`,
      operation: 'write',
      confirm: true,
      args: {
        amount: denies ? (step % 2 ? '250.00' : '2.80') : step % 3 === 2 ? '7.50' : '2.80',
        payee: `payee-${String(index)}`,
      },
    });
  }
  return calls;
}

const now = new Date('2026-06-01T00:00:00Z');
const principal = { id: 'u1', kind: 'agent' };
const grants = [{ capability: 'verb.exec.read' }, { capability: 'verb.exec.write' }];

/** allow, deny or ask: what every contestant answers is compared before anything is timed. */
function hcp(rules) {
  const layers = { ...DEFAULT_ACCESS, base: { ...EMPTY_LAYER, rules: new RuleSet(rules) } };
  const ctx = { principal, tenant_id: 't1', project_id: null, grants, layers: [grants], now };
  return (call) => {
    const right = defaultAuthorize(ctx, {
      pack_id: call.pack_id,
      verb_key: call.verb_key,
      operation: call.operation,
      land: 'personal',
      kind: 'exec',
    });
    return right.allow ? judgeAccess(layers, call).decision : 'deny';
  };
}

function casl(rules) {
  const list = [{ action: 'write', subject: 'grant' }];
  for (const rule of rules) {
    const { when } = rule;
    const conditions = {
      ...(when.args && { payee: when.args.payee }),
      ...(when.max && { amount: { $gte: 0, $lte: when.max.amount } }),
      ...(when.min && { amount: { $gte: when.min.amount } }),
    };
    list.push({ action: rule.decision, subject: rule.match, conditions });
  }
  const ability = createMongoAbility(list, { detectSubjectType: (subject) => subject.__type ?? subject });
  return (call) => {
    if (!ability.can('write', 'grant')) return 'deny';
    const __type = `${call.pack_id}.${call.verb_key}`;
    const subject = { __type, payee: call.args.payee, amount: Number(call.args.amount) };
    if (ability.can('deny', subject)) return 'deny';
    return ability.can('allow', subject) ? 'allow' : 'ask';
  };
}

const CASBIN_MODEL = `
[request_definition]
r = sub, obj, act, payee, amount
[policy_definition]
p = sub, obj, act, payee, min, max, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = r.obj == p.obj && r.act == p.act && (p.payee == "*" || r.payee == p.payee) && r.amount >= p.min && r.amount <= p.max`;

async function casbin(rules) {
  const lines = rules.map(({ match, decision, when }) => {
    const payee = when.args?.payee ?? '*';
    const min = String(when.min?.amount ?? 0);
    const max = String(when.max?.amount ?? 1e9);
    return `p, u1, ${match}, write, ${payee}, ${min}, ${max}, ${decision}`;
  });
  const enforcer = await newEnforcer(newModelFromString(CASBIN_MODEL), new StringAdapter(lines.join('\n')));
  return (call) => {
    const name = `${call.pack_id}.${call.verb_key}`;
    const allowed = enforcer.enforceSync('u1', name, call.operation, call.args.payee, Number(call.args.amount));
    return allowed ? 'allow' : 'deny or ask';
  };
}

function cedarWasm(rules) {
  const policies = rules.map(({ match, decision, when }, index) => {
    const conditions = [
      ...(when.args ? [`context.payee == ${JSON.stringify(when.args.payee)}`] : []),
      ...(when.max ? [`context.amount >= 0 && context.amount <= ${String(when.max.amount * 100)}`] : []),
      ...(when.min ? [`context.amount >= ${String(when.min.amount * 100)}`] : []),
    ];
    const effect = decision === 'deny' ? 'forbid' : 'permit';
    return [
      `r${String(index)}`,
      `${effect}(principal, action == Action::"write", resource == Command::${JSON.stringify(match)}) when { ${conditions.join(' && ')} };`,
    ];
  });
  const parsed = cedar.preparsePolicySet('tenant', { staticPolicies: Object.fromEntries(policies) });
  if (parsed.type !== 'success') throw new Error(`cedar: ${JSON.stringify(parsed)}`);
  return (call) => {
    const answer = cedar.statefulIsAuthorized({
      principal: { type: 'User', id: 'u1' },
      action: { type: 'Action', id: 'write' },
      resource: { type: 'Command', id: `${call.pack_id}.${call.verb_key}` },
      context: { payee: call.args.payee, amount: Math.round(Number(call.args.amount) * 100) },
      preparsedPolicySetId: 'tenant',
      entities: [],
    });
    if (answer.type !== 'success') throw new Error(`cedar: ${JSON.stringify(answer)}`);
    return answer.response.decision === 'allow' ? 'allow' : 'deny or ask';
  };
}

/** Calls per second over at least one slice. */
function perSecond(decide, calls) {
  let decided = 0;
  const began = process.hrtime.bigint();
  let elapsed;
  do {
    const batch = decided === 0 ? 1 : Math.min(calls.length * 16, Math.max(1, decided));
    for (let step = 0; step < batch; step += 1) decide(calls[(decided + step) % calls.length]);
    decided += batch;
    elapsed = process.hrtime.bigint() - began;
  } while (elapsed < BigInt(SLICE_MS) * 1_000_000n);
  return decided / (Number(elapsed) / 1e9);
}

function agree(wanted, said) {
  return said === wanted || (said === 'deny or ask' && wanted !== 'allow');
}

const report = { cores: cpus().length, node: process.version, decisions_per_second: {} };
for (const size of SIZES) {
  const rules = rulesOf(size);
  const calls = callsOf(size);
  const contestants = { hcp: hcp(rules), casl: casl(rules), casbin: await casbin(rules), cedar: cedarWasm(rules) };
  for (const [name, decide] of Object.entries(contestants)) {
    for (const call of calls.slice(0, size > 1000 ? 16 : 64)) {
      const wanted = contestants.hcp(call);
      if (!agree(wanted, decide(call)))
        throw new Error(`${name} differs at ${size} rules: ${decide(call)}, not ${wanted}`);
    }
  }
  const rates = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, decide] of Object.entries(contestants)) rates[name].push(perSecond(decide, calls));
  }
  report.decisions_per_second[size] = Object.fromEntries(
    Object.entries(rates).map(([name, list]) => [name, Math.round(median(list))]),
  );
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}

const at = (size) => report.decisions_per_second[size];
report.targets = {
  a_million_at_100_rules: at(100).hcp >= 1_000_000,
  a_third_of_that_at_10000_rules: at(10_000).hcp >= at(100).hcp / 3,
  ahead_of_all_three: SIZES.every((size) => Object.values(at(size)).every((rate) => rate <= at(size).hcp)),
};
const out = join(import.meta.dirname, 'results');
mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'gate.json'), `${JSON.stringify(report, null, 2)}\n`);
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (Object.values(report.targets).includes(false)) process.exitCode = 1;
