import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { SandboxDriver, SandboxOutcome, SelectOptions } from '@hcp/sandbox';
import { dockerHost, ensureDocker } from '../../support/docker.js';
import { type Isolating, makeDriver, makePlace, makeSpec, type Place } from '../sandbox/harness.js';
import { type Listening, type Names, serve } from './servers.js';

/** curl that says the status and the body, of the proxy as well. */
export const CURL = `curl -sS -m 10 -w '%{http_code} %{http_connect}'`;

/** A driver with a way out, and hosts to go to. */
export interface World {
  readonly place: Place;
  readonly driver: SandboxDriver;
  /** What api.test leads to, and its twin at another address of this machine, which nobody allows. */
  readonly api: Listening;
  readonly trap: Listening;
  /** Runs a shell script of the pack, which declares `network`. */
  run(script: string, network?: readonly string[], over?: Parameters<typeof makeSpec>[1]): Promise<SandboxOutcome>;
  url(host: string, path?: string, port?: number): string;
  /** Names and what was seen, as at the beginning. */
  reset(): void;
  close(): Promise<void>;
}

/** The docker driver's image needs curl as well. */
async function choose(requested: Isolating): Promise<Partial<SelectOptions>> {
  if (requested !== 'docker') return { requested };
  await ensureDocker();
  const image = 'hcp-sandbox:egress';
  const script = join(import.meta.dirname, '../../../scripts/sandbox-image.mjs');
  execFileSync(process.execPath, [script, '--host', dockerHost(), '--add', 'curl', '--tag', image]);
  return { requested, docker: { host: dockerHost(), runtime: null, image, images: {} } };
}

export async function openWorld(requested: Isolating, names: Names): Promise<World> {
  const place = makePlace();
  const api = await serve((request, response) => {
    if (request.url === '/echo') return void request.pipe(response);
    if (request.url === '/headers') return void response.end(JSON.stringify(request.headers));
    if (request.url?.startsWith('/to/')) {
      return void response.writeHead(302, { location: decodeURIComponent(request.url.slice(4)) }).end();
    }
    // Begins and never ends.
    if (request.url === '/slow') return void response.write('begun\n');
    response.end('hello\n');
  });
  const trap = await serve((_request, response) => response.end('trapped\n'), { host: '127.0.0.2', port: api.port });
  const driver = await makeDriver(place, {
    ...(await choose(requested)),
    slots: 4,
    allow_private_hosts: [`127.0.0.1:${api.port}`],
    resolve_host: names.resolve,
  });
  return {
    ...{ place, driver, api, trap },
    run: (script, network = [`api.test:${api.port}`], over = {}) =>
      driver.run(makeSpec(place, { argv: [script], network: [...network], ...over }), {
        signal: new AbortController().signal,
      }),
    url: (host, path = '/', port = api.port) => `http://${host}:${port}${path}`,
    reset() {
      names.set('api.test', ['127.0.0.1']).set('a.wild.test', ['127.0.0.1']).set('inner.test', ['127.0.0.2']);
      names.asked.length = 0;
      api.seen.length = 0;
    },
    async close() {
      await driver.close();
      await Promise.all([api.close(), trap.close()]);
      place.remove();
    },
  };
}
