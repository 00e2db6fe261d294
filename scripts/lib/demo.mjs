import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { api } from './api.mjs';
import { ROOT } from './build.mjs';
import { Stop, step } from './progress.mjs';
import { seedDemo } from './seed/demo.mjs';
import { seedPeople } from './seed/people.mjs';
import { DEV_JSON } from './state.mjs';

const TENANTS_JSON = 'tenants.json';

/**
 * The demo's accounts (SPEC O1): as dev.json has them, or fresh ones on a first start. dev.json is written last, so that
 * where it is, the demo is whole.
 * @param {{ state: import('./state.mjs').State, url: string, app_url: string }} options
 */
export async function ensureDemo({ state, url, app_url }) {
  const present = state.read(DEV_JSON);
  if (present) {
    const texts = [present.agent?.api_key, present.owner?.email, present.owner?.password];
    if (!texts.every((text) => typeof text === 'string')) throw state.damaged(DEV_JSON);
    if (present.url !== url) state.write(DEV_JSON, { ...present, url });
    return { ...present, url };
  }
  const { Database } = await import('@hcp/database');
  const { hashPassword } = await import('@hcp/tenancy');
  if (!state.read(TENANTS_JSON)) {
    state.write(TENANTS_JSON, { tenant_id: randomUUID(), platform_tenant_id: randomUUID() });
  }
  const ids = state.read(TENANTS_JSON);
  return step('seeding the demo tenant', async () => {
    const db = new Database({ url: app_url, max: 2 });
    try {
      const people = await seedPeople(db, hashPassword, ids);
      const demo = await seedDemo({ url, people, packs_dir: join(ROOT, 'examples/packs') });
      const signIn = ({ email, password }) => ({ email, password });
      const dev = {
        url,
        tenant_id: ids.tenant_id,
        project_id: demo.project_id,
        owner: signIn(people.owner),
        approver: signIn(people.approver),
        agent: demo.agent,
        service: demo.service,
        operator: signIn(people.operator),
      };
      state.write(DEV_JSON, dev);
      return dev;
    } finally {
      await db.close();
    }
  });
}

/** What the demo's agent asks for at each start; the request that still waits is the same one. */
const PAYMENT = {
  pack_id: 'ledger',
  verb_key: 'transfer',
  args: { amount: '4.20', payee: 'demo-transit', memo: 'Day ticket' },
  run_on_approve: true,
};

/** Says where everything is, shows one real run, and has the agent ask for a payment that waits for a person. */
export async function showDemo({ dev, url, dev_json }) {
  process.stdout.write(`
Ready: the dashboard is at ${dev.url}   (API docs: ${dev.url}/docs)

  sign in as   ${dev.owner.email}  ${dev.owner.password}
  all accounts ${dev_json}

${await agentAtWork(api(url, dev.agent.api_key), dev.url)}
Ctrl-C stops everything.
`);
}

/** A demo that somebody changed, so that its agent may do less, is a demo still. */
async function agentAtWork(agent, dashboard) {
  const call = { pack_id: 'ledger', verb_key: 'balance', args: {} };
  try {
    const answer = await agent.post('/v1/exec', call);
    const asked = await agent.post('/v1/exec', PAYMENT);
    const waits =
      asked.approval_id === undefined
        ? ''
        : `\nIts payment waits for your yes, for 15 minutes: ${dashboard}/approvals/${asked.approval_id}\n`;
    return `A real run, as the demo's agent, POST /v1/exec ${JSON.stringify(call)}:

${JSON.stringify(answer, null, 2).replace(/^/gm, '  ')}
${waits}`;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return `The demo's agent cannot act any more: ${error.message}\n`;
  }
}
