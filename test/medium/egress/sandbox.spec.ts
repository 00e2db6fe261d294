import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DRIVERS } from '../sandbox/harness.js';
import { type Listening, Names, serve } from './servers.js';
import { CURL, openWorld, type World } from './world.js';

describe.each(DRIVERS)('in %s', (requested) => {
  const names = new Names();
  let world: World;
  let api: Listening;
  /** At another address of this machine, which nobody allows. */
  let trap: Listening;
  beforeAll(async () => {
    world = await openWorld(requested, names);
    ({ api, trap } = world);
  });
  afterAll(() => world.close());
  beforeEach(() => world.reset());
  const run: World['run'] = (...how) => world.run(...how);
  const url: World['url'] = (...where) => world.url(...where);

  describe('a pack that declares hosts', () => {
    it('reaches them by plain HTTP', async () => {
      const outcome = await run(`${CURL} ${url('api.test')}`);
      expect(outcome).toMatchObject({ kind: 'exited', exit_code: 0, stdout: 'hello\n200 000', stderr: '' });
      expect(outcome.egress).toMatchObject({
        contacted: [{ host: 'api.test', port: api.port, connections: 1 }],
        refused: [],
        more: false,
      });
      expect(outcome.egress?.contacted[0]?.bytes_received).toBeGreaterThan(6);
    });

    it('reaches them through a tunnel', async () => {
      const outcome = await run(`${CURL} -p ${url('API.test.')}`);
      expect(outcome).toMatchObject({ exit_code: 0, stdout: 'hello\n200 200' });
      expect(outcome.egress?.contacted).toMatchObject([{ host: 'api.test', connections: 1 }]);
    });

    it("reaches them by Node's fetch, which heeds the environment", async () => {
      const code = `fetch(${JSON.stringify(url('api.test', '/echo'))}, { method: 'POST', body: 'x'.repeat(200000) })
      .then((r) => r.text()).then((t) => console.log(t.length))`;
      const outcome = await run('', undefined, { bin: 'bin/node', argv: [code], network: [`api.test:${api.port}`] });
      expect(outcome).toMatchObject({ exit_code: 0, stdout: '200000\n' });
    });

    it('reaches what a wildcard covers and not the name itself', async () => {
      names.set('wild.test', ['127.0.0.1']);
      const network = [`*.wild.test:${api.port}`];
      expect((await run(`${CURL} ${url('a.wild.test')}`, network)).stdout).toBe('hello\n200 000');
      expect((await run(`${CURL} ${url('wild.test')}`, network)).stdout).toContain('not among the hosts');
      expect((await run(`${CURL} ${url('notwild.test')}`, network)).stdout).toContain('not among the hosts');
    });

    it('sends bodies without a length whole, and none of what belongs to the connection', async () => {
      const piped = await run(
        `head -c 300000 /dev/zero | ${CURL} -o /tmp/out -T - ${url('api.test', '/echo')}; wc -c < /tmp/out`,
      );
      expect(piped.stdout).toBe('200 000300000\n');
      const got = await run(
        `curl -sS ${url('api.test', '/headers')} -H 'Host: other.test' -H 'Proxy-Authorization: Basic x' -H 'X-Kept: 1' -H 'X-Hop: 1' -H 'Connection: x-hop'`,
      );
      const headers = JSON.parse(got.stdout) as Record<string, string>;
      expect(headers).toMatchObject({ host: `api.test:${api.port}`, 'x-kept': '1', connection: 'close' });
      expect(Object.keys(headers)).not.toContain('proxy-authorization');
      expect(Object.keys(headers)).not.toContain('x-hop');
    });

    it('keeps its exit code, its arguments and its environment', async () => {
      expect(await run('kill -TERM $$')).toMatchObject({ kind: 'exited', exit_code: 143 });
      expect(await run('echo out; echo err >&2; exit 7')).toMatchObject({
        exit_code: 7,
        stdout: 'out\n',
        stderr: 'err\n',
      });
      const args = ['', 'a b', '--', '$(id)', '"', '--version'];
      const outcome = await run('', undefined, { bin: 'bin/args', argv: args, network: ['api.test'] });
      expect(JSON.parse(outcome.stdout)).toEqual(args);
      const env = await run('env', ['api.test'], { env: { HTTPS_PROXY: 'http://10.0.0.1', MINE: '1' } });
      expect(env.stdout).toMatch(/^HTTPS_PROXY=http:\/\/127\.0\.0\.1:\d+$/m);
      expect(env.stdout).toMatch(/^MINE=1$/m);
    });

    it('fails as others do when its program cannot be started', async () => {
      const outcome = await run('', undefined, { bin: 'bin/orphaned', network: ['api.test'] });
      expect(outcome).toMatchObject({
        kind: 'exited',
        exit_code: 127,
        stderr: 'sandbox: cannot start the program (ENOENT)\n',
      });
    });
  });

  describe('is refused', () => {
    const refused = async (script: string, expected: { status: number; text: string; code: string; host: string }) => {
      const outcome = await run(script);
      expect(outcome.stdout).toContain(expected.text);
      expect(outcome.stdout).toMatch(new RegExp(`${expected.status} \\d+$`));
      expect(outcome.egress).toMatchObject({
        refused: [{ host: expected.host, code: expected.code, count: 1 }],
        contacted: [],
      });
      expect(trap.seen).toEqual([]);
      expect(api.seen).toEqual([]);
    };

    it('a name that is not declared, and no name server hears of it', async () => {
      const text = `egress: evil.test:${api.port} is not among the hosts that the pack declares`;
      await refused(`${CURL} ${url('evil.test')}`, { status: 403, text, code: 'not_declared', host: 'evil.test' });
      expect(names.asked).toEqual([]);
    });

    it('a tunnel to a name that is not declared', async () => {
      const outcome = await run(`${CURL} -p ${url('evil.test')}`);
      expect(outcome).toMatchObject({ stdout: '000 403' });
      expect(outcome.stderr).toContain('CONNECT tunnel failed, response 403');
      expect(outcome.egress?.refused).toMatchObject([{ host: 'evil.test', code: 'not_declared' }]);
    });

    it('another port of a declared name', async () => {
      const host = 'api.test';
      await refused(`${CURL} ${url(host, '/', 5432)}`, {
        status: 403,
        text: 'api.test:5432',
        code: 'not_declared',
        host,
      });
    });

    it.each([
      '127.0.0.1',
      '[::1]',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '169.254.169.254',
      'localhost',
      '[::ffff:127.0.0.1]',
    ])('the literal %s', async (host) => {
      const outcome = await run(`unset NO_PROXY no_proxy; ${CURL} ${url(host)}; ${CURL} -p ${url(host)}`);
      expect(outcome.stdout).toMatch(/403 000(.|\n)*000 403$/);
      expect(outcome.egress?.refused.map(({ code }) => code)).not.toContain('connect_failed');
      expect(outcome.egress?.contacted).toEqual([]);
      expect(names.asked).toEqual([]);
    });

    it.each([
      ['127.0.0.2'],
      ['10.0.0.1'],
      ['169.254.169.254'],
      ['::1'],
      ['::ffff:127.0.0.1'],
      ['0.0.0.0'],
      ['127.0.0.1', '10.0.0.1'],
    ])('a declared name that leads to %s', async (...addresses) => {
      names.set('api.test', addresses);
      const text = 'egress: api.test does not lead to a public address';
      await refused(`${CURL} ${url('api.test')}`, { status: 403, text, code: 'private_address', host: 'api.test' });
    });

    it('a declared name that nobody knows', async () => {
      names.set('api.test', []);
      const text = 'api.test cannot be resolved';
      await refused(`${CURL} ${url('api.test')}`, { status: 502, text, code: 'unresolvable', host: 'api.test' });
    });

    it('a request that is none of a proxy', async () => {
      const raw = (head: string) => `printf '${head}\\r\\n\\r\\n' | curl -s -m 5 --noproxy '*' telnet://127.0.0.1:3128`;
      for (const head of [
        'GET / HTTP/1.1\\r\\nHost: api.test',
        'GET https://api.test/ HTTP/1.1\\r\\nHost: api.test',
        'GET http://user:pass@api.test/ HTTP/1.1\\r\\nHost: api.test',
        'CONNECT api.test HTTP/1.1\\r\\nHost: api.test',
        'CONNECT api.test:0 HTTP/1.1\\r\\nHost: api.test',
        'CONNECT api.test:99999 HTTP/1.1\\r\\nHost: api.test',
      ]) {
        expect((await run(raw(head))).stdout).toMatch(/^HTTP\/1\.1 400 /);
      }
      expect(names.asked).toEqual([]);
    });
  });

  describe('does not get past the check', () => {
    it('a redirect to a host that is not declared, or to a private one', async () => {
      const network = [`api.test:${api.port}`, `inner.test:${api.port}`];
      const to = (target: string) => `${CURL} -L ${url('api.test', `/to/${encodeURIComponent(target)}`)}`;
      expect((await run(to(url('a.wild.test')), network)).stdout).toMatch(
        /a\.wild\.test.* is not among(.|\n)*403 000$/,
      );
      expect((await run(to(url('127.0.0.2')), network)).stdout).toMatch(/not among/);
      expect((await run(to(url('inner.test')), network)).stdout).toMatch(
        /inner\.test does not lead to a public address/,
      );
      expect((await run(to(url('api.test')), network)).stdout).toBe('hello\n200 000');
      expect(trap.connections()).toBe(0);
    });

    it('a name that is rebound after its check', async () => {
      for (const tunnel of ['', '-p']) {
        names.asked.length = 0;
        names.set('api.test', ['127.0.0.1'], ['127.0.0.2']);
        const outcome = await run(`${CURL} ${tunnel} ${url('api.test')}; echo; ${CURL} ${tunnel} ${url('api.test')}`);
        expect(outcome.stdout.split('\n')[0]).toBe('hello');
        expect(outcome.egress).toMatchObject({
          contacted: [{ host: 'api.test', connections: 1 }],
          refused: [{ host: 'api.test', code: 'private_address', count: 1 }],
        });
        // One question for each connection: none was asked between the check and the connection.
        expect(names.asked).toEqual(['api.test', 'api.test']);
      }
      expect(trap.connections()).toBe(0);
    });

    it('a second request on the connection of an allowed one', async () => {
      const both = await run(`${CURL} ${url('api.test')} ${url('evil.test')}`);
      expect(both.stdout).toMatch(/^hello\n200 000egress: evil\.test.*\n403 000$/);
    });
  });

  describe('without the proxy', () => {
    const lan = Object.values(networkInterfaces())
      .flat()
      .find((at) => at?.family === 'IPv4' && !at.internal)?.address;

    it("there is no way to the host's loopback, its network, or anybody", async () => {
      const lanServer = lan === undefined ? null : await serve(undefined, { host: lan });
      const before = api.connections();
      const targets = [
        `127.0.0.1:${api.port}`,
        `[::1]:${api.port}`,
        `${lan ?? '192.0.2.2'}:${lanServer?.port ?? 80}`,
        '1.1.1.1:80',
      ];
      for (const target of targets) {
        const outcome = await run(`curl -sS -m 3 --noproxy '*' http://${target}/`);
        expect(outcome.stdout).toBe('');
        expect(outcome.exit_code).not.toBe(0);
      }
      expect(api.connections()).toBe(before);
      expect(lanServer?.connections() ?? 0).toBe(0);
      await lanServer?.close();
    });

    it('nothing is resolved and no datagram leaves', async () => {
      const code = `
      const dns = require('node:dns').promises, udp = require('node:dgram').createSocket('udp4');
      const said = (p) => p.then(() => 'went', (e) => e.code);
      (async () => {
        const r = new dns.Resolver({ timeout: 300, tries: 1 });
        r.setServers(['1.1.1.1']);
        console.log(await said(dns.lookup('api.test')), await said(r.resolve4('api.test')));
        console.log(await said(new Promise((ok, no) => udp.send('x', 53, '1.1.1.1', (e) => (e ? no(e) : ok())))));
        udp.close();
      })();`;
      const { stdout } = await run('', undefined, { bin: 'bin/node', argv: [code], network: ['api.test'] });
      expect(stdout).toMatch(/^(EAI_AGAIN|ENOTFOUND) (ECONNREFUSED|ETIMEOUT|ENETUNREACH)\nENETUNREACH\n$/);
    });

    it('a pack that declares nothing finds neither proxy nor socket', async () => {
      const outcome = await run(`env | grep -i proxy; ls /run; ${CURL} --noproxy '*' http://127.0.0.1:3128/`, []);
      expect(outcome.stdout).toBe('000 000');
      expect(outcome.exit_code).not.toBe(0);
      expect(outcome.egress).toBeUndefined();
    });

    it('an address among declared hosts is refused before anything starts', async () => {
      for (const bad of [
        '127.0.0.1',
        '[::1]:80',
        '*.com',
        '*',
        'a b',
        '',
        'http://api.test',
        'api.test:0',
        '*.*.test',
      ]) {
        expect(await run('true', ['api.test', bad])).toMatchObject({
          kind: 'failed_to_start',
          error: 'sandbox: network[1] must be a host name, with or without a port',
        });
      }
    });
  });
});
