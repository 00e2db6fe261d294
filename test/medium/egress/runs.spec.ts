import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SandboxDriver } from '@hcp/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DRIVERS, makeSpec, type Place, processesWith } from '../sandbox/harness.js';
import { type Listening, Names } from './servers.js';
import { openWorld, type World } from './world.js';

describe.each(DRIVERS)('in %s', (requested) => {
  const names = new Names();
  let world: World;
  let place: Place;
  let driver: SandboxDriver;
  let api: Listening;
  beforeAll(async () => {
    world = await openWorld(requested, names);
    ({ place, driver, api } = world);
  });
  afterAll(() => world.close());
  beforeEach(() => world.reset());
  const run: World['run'] = (...how) => world.run(...how);
  const url: World['url'] = (...where) => world.url(...where);

  describe('runs beside each other', () => {
    const sockets = () => {
      const runtime = join(place.data_dir, 'runtime');
      return readdirSync(runtime)
        .filter((name) => name.startsWith('own-'))
        .flatMap((name) => readdirSync(join(runtime, name, 'egress')).filter((file) => file.endsWith('.sock')));
    };

    it('cannot reach the proxy of another, and leave nothing', async () => {
      names.set('mine.test', ['127.0.0.1']);
      const stop = new AbortController();
      const neighbour = driver.run(makeSpec(place, { argv: ['sleep 60'], network: [`mine.test:${api.port}`] }), {
        signal: stop.signal,
      });
      await vi.waitFor(() => expect(sockets()).toHaveLength(1));
      const path = join(place.data_dir, 'runtime');
      const outcome = await run(
        `ls /run/hcp; ls ${path}; rm -f /run/hcp/egress.sock; chmod 777 /run/hcp/egress.sock;
       curl -sS -m 5 --unix-socket /run/hcp/egress.sock --request-target ${url('mine.test')} http://any/`,
      );
      // Its own socket is another proxy, with its own rules.
      expect(outcome.stdout).toContain('egress.cjs\negress.sock\n');
      expect(outcome.stderr).toContain(`cannot access '${path}'`);
      expect(outcome.stdout).toContain(`mine.test:${api.port} is not among the hosts`);
      stop.abort();
      expect(await neighbour).toMatchObject({ kind: 'cancelled', egress: { contacted: [], refused: [] } });
      expect(sockets()).toEqual([]);
    });

    it("has a socket that only the run's own uid may use", async () => {
      const stop = new AbortController();
      const running = driver.run(makeSpec(place, { argv: ['sleep 60'], network: ['api.test'] }), {
        signal: stop.signal,
      });
      await vi.waitFor(() => expect(sockets()).toHaveLength(1));
      const found = execFileSync('find', [place.data_dir, '-type', 's', '-printf', '%m %U']).toString();
      expect(found).toMatch(/^600 2\d{5}$/);
      stop.abort();
      await running;
    });

    // Each process of such a run has the address in its arguments, the one that leads out too; other specs run beside this.
    it('ends what is still open when the run ends', async () => {
      const slow = url('api.test', '/slow');
      const outcome = await run(
        `curl -sN ${slow} > /tmp/a & curl -sNp ${slow} > /tmp/b &
       until [ -s /tmp/a ] && [ -s /tmp/b ]; do sleep 0.05; done; exit 3`,
      );
      expect(outcome).toMatchObject({ kind: 'exited', exit_code: 3, egress: { contacted: [{ connections: 2 }] } });
      expect(sockets()).toEqual([]);
      expect(processesWith(slow)).toEqual([]);
    });

    it('ends at a cancel, with connections to a host that never answers', async () => {
      const stop = new AbortController();
      const slow = url('api.test', '/slow');
      const spec = makeSpec(place, { argv: [`curl -s ${slow} & curl -sp ${slow}`], network: [`api.test:${api.port}`] });
      const running = driver.run(spec, { signal: stop.signal });
      await vi.waitFor(() => expect(api.seen).toHaveLength(2), { timeout: 20_000 });
      stop.abort();
      expect(await running).toMatchObject({ kind: 'cancelled', egress: { contacted: [{ connections: 2 }] } });
      expect(sockets()).toEqual([]);
      expect(processesWith(slow)).toEqual([]);
    });

    it('has a bounded number of connections at a time', async () => {
      const code = `
      const net = require('node:net');
      let open = 0, closed = 0;
      const done = () => { if (open + closed === 80) { console.log(open, closed); process.exit(); } };
      for (let n = 0; n < 80; n += 1) {
        const socket = net.connect(3128, '127.0.0.1', () => socket.write('CONNECT api.test:${api.port} HTTP/1.1\\r\\n\\r\\n'));
        socket.once('data', (text) => { open += String(text).startsWith('HTTP/1.1 200') ? 1 : 1000; done(); socket.once('close', () => process.exit(1)); });
        socket.once('close', () => { closed += 1; done(); });
        socket.on('error', () => undefined);
      }`;
      const outcome = await run('', undefined, { bin: 'bin/node', argv: [code], network: [`api.test:${api.port}`] });
      expect(outcome).toMatchObject({ exit_code: 0, stdout: '64 16\n' });
    });

    it('keeps a bounded list of what it was refused', async () => {
      const hosts = `seq 1 150 | sed 's|.*|url = "http://h&.test/"|' > /tmp/list; curl -s -o /dev/null -K /tmp/list`;
      const outcome = await run(hosts);
      expect(outcome.egress?.refused).toHaveLength(100);
      expect(outcome.egress?.more).toBe(true);
    });
  });
});
