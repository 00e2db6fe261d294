import { describe, expect, it } from 'vitest';
import { AT, hcpx, ID, problem, startApi, tempDir, type Handlers } from './testing/harness.js';

async function as(handlers: Handlers, argv: string[]) {
  const { url, calls } = await startApi(handlers);
  const vars = { HCP_URL: url, HCP_TOKEN: 'hcp_key' };
  return { ...(await hcpx(argv, { home: await tempDir(), vars })), calls };
}
const page = (...items: object[]) => ({ json: { items, next_cursor: null } });

const webhook = {
  id: ID,
  url: 'https://example.com/hook',
  description: '',
  events: ['approval.requested', 'approval.decided'],
  pack_ids: [],
  enabled: false,
  disabled_reason: 'gone',
  old_secret_until: null,
  created_by: ID,
  created_at: AT,
};
const delivery = {
  id: ID,
  webhook_id: ID,
  state: 'pending',
  payload: { type: 'webhook.test', timestamp: AT, data: { webhook_id: ID } },
  attempts: 0,
  next_attempt_at: AT,
  last_status: null,
  last_error: null,
  created_at: AT,
  finished_at: null,
};

describe('hcpx webhooks', () => {
  it('tells a new one of approvals unless said otherwise, and shows its secret alone on standard output', async () => {
    const made = { status: 201, json: { ...webhook, secret: 'whsec_one' } };
    const done = await as({ 'POST /v1/webhooks': () => made }, ['webhooks', 'add', webhook.url, '--pack', 'ledger']);
    expect(done).toMatchObject({ code: 0, out: 'whsec_one\n' });
    expect(JSON.parse(String(done.calls[0]?.body))).toEqual({
      url: webhook.url,
      events: ['approval.requested', 'approval.decided'],
      pack_ids: ['ledger'],
    });
  });

  it('lists them, and says why one is off', async () => {
    const done = await as({ 'GET /v1/webhooks': () => page(webhook) }, ['webhooks']);
    expect(done.out).toContain('off: it answered 410');
  });

  it('waits for what comes of a test, and fails where it failed', async () => {
    let looks = 0;
    const failed = { ...delivery, attempts: 1, last_status: 500, last_error: 'refused' };
    const done = await as(
      {
        [`POST /v1/webhooks/${ID}/test`]: () => ({ status: 201, json: delivery }),
        [`GET /v1/webhooks/${ID}/deliveries`]: () => page((looks += 1) < 2 ? delivery : failed),
      },
      ['webhooks', 'test', ID],
    );
    expect(done).toMatchObject({ code: 1, out: 'webhook.test: pending, 1 attempt, status 500, refused\n' });
  });

  it('sends one again, switches and removes', async () => {
    const handlers: Handlers = {
      [`POST /v1/webhooks/${ID}/deliveries/${ID}/redeliver`]: () => ({ json: delivery }),
      [`PUT /v1/webhooks/${ID}`]: () => ({ json: webhook }),
      [`DELETE /v1/webhooks/${ID}`]: () => ({}),
    };
    for (const words of [
      ['redeliver', ID, ID],
      ['enable', ID],
      ['disable', ID],
      ['rm', ID],
    ]) {
      expect((await as(handlers, ['webhooks', ...words])).code, words[0]).toBe(0);
    }
  });
});

describe('hcpx events', () => {
  it('says what happens, a line each, until it may not any more', async () => {
    const call = { pack_id: 'ledger', verb_key: 'pay', project_id: null, principal_id: ID, acts_for: null, at: AT };
    const events = [
      { type: 'ready', at: AT },
      { type: 'approval.requested', approval_id: ID, state: 'pending', run_id: null, ...call },
      { type: 'run.updated', run_id: ID, status: 'succeeded', ...call },
      { type: 'of another day', at: AT },
    ];
    let opened = 0;
    const done = await as(
      {
        'GET /v1/events': () =>
          (opened += 1) > 1
            ? problem(401, 'unauthenticated')
            : { events: events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('') },
      },
      ['events'],
    );
    expect(done.out.trim().split('\n')).toEqual([
      `${AT}  approval ${ID}  ledger.pay  pending`,
      `${AT}  run ${ID}  ledger.pay  succeeded`,
    ]);
    expect(done.code).not.toBe(0);
  });
});
