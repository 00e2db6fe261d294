import { describe, expect, it } from 'vitest';
import { AT, hcpx, ID, problem, startApi, tempDir, type Handlers } from './testing/harness.js';

async function as(handlers: Handlers, argv: string[]) {
  const { url, calls } = await startApi(handlers);
  const vars = { HCP_URL: url, HCP_TOKEN: 'hcp_key' };
  return { ...(await hcpx(argv, { home: await tempDir(), vars })), calls };
}
const page = (...items: object[]) => ({ json: { items, next_cursor: null } });

const event = {
  id: ID,
  kind: 'disk_low',
  severity: 'warning',
  subject: 'disk',
  message: 'Full\u001b[2J\u202e.',
  pack_id: 'disk',
  verb_key: 'look',
  project_id: null,
  principal_id: null,
  count: 2,
  opened_at: AT,
  last_seen_at: AT,
  cleared_at: null,
};
const source = {
  id: ID,
  pack_id: 'disk',
  project_id: null,
  enabled: true,
  every_s: 60,
  enabled_by: ID,
  enabled_at: AT,
  next_at: null,
  paused_at: AT,
  paused_reason: 'missing_capability',
};

describe('hcpx sense', () => {
  it('lists what is not mended, with what cannot be seen written out', async () => {
    const done = await as({ 'GET /v1/sense': () => page(event) }, ['sense', '--severity', 'warning']);
    expect(done.code).toBe(0);
    expect(done.out).toContain('Full\\u001b[2J\\u202e.');
    expect(done.out).not.toContain('\u001b[2J');
    expect(done.calls[0]?.url).toBe('/v1/sense?severity=warning');
  });

  it('asks for what was mended as well', async () => {
    const done = await as({ 'GET /v1/sense': () => page({ ...event, cleared_at: AT }) }, ['sense', '--all']);
    expect(done.calls[0]?.url).toBe('/v1/sense?open=0');
    expect(done.out).toContain(`${AT}\t${AT}`);
  });

  it('goes on, and says what comes and what is mended, until it may not any more', async () => {
    const changed = { type: 'sense.changed', sense_id: ID, kind: 'disk_low', severity: 'warning', pack_id: 'disk' };
    const rest = { project_id: null, principal_id: null, at: AT };
    const events = [
      { type: 'ready', at: AT },
      { ...changed, ...rest, state: 'open' },
      { ...changed, ...rest, state: 'cleared' },
    ];
    let opened = 0;
    const done = await as(
      {
        'GET /v1/sense': () => page(event),
        'GET /v1/events': () =>
          (opened += 1) > 1
            ? problem(401, 'unauthenticated')
            : { events: events.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('') },
      },
      ['sense', '--follow'],
    );
    expect(done.out.trim().split('\n')).toEqual([
      `${AT}  warning  disk_low  Full\\u001b[2J\\u202e.`,
      `${AT}  mended  disk_low  disk`,
    ]);
  });

  it('turns a source on and off, and shows why one is paused', async () => {
    const handlers = {
      'PUT /v1/sense/sources/disk': () => ({ json: { ...source, paused_at: null, paused_reason: null } }),
    };
    const done = await as(handlers, ['sense', 'enable', 'disk', '--every', '60']);
    expect(done.code).toBe(0);
    expect(JSON.parse(String(done.calls[0]?.body))).toEqual({ enabled: true, every_s: 60 });
    const off = await as(handlers, ['sense', 'disable', 'disk']);
    expect(JSON.parse(String(off.calls[0]?.body))).toEqual({ enabled: false });
    const listed = await as({ 'GET /v1/sense/sources': () => page(source) }, ['sense', 'sources']);
    expect(listed.out).toContain('paused: missing_capability');
    expect((await as(handlers, ['sense', 'enable', 'disk', '--every', '59'])).code).toBe(2);
  });
});
