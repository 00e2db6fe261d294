import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack as tarPack } from 'tar-stream';
import { gzipSync } from 'node:zlib';
import { api } from '../../scripts/lib/api.mjs';
import { ensureDemo } from '../../scripts/lib/demo.mjs';
import { choosePort } from '../../scripts/lib/ports.mjs';
import { Stack } from '../../scripts/lib/stack.mjs';
import { State } from '../../scripts/lib/state.mjs';
import { staticBinary } from './static-binary.mjs';

/** The whole product on a fresh state, with the bench's own pack installed; `end` removes all of it. */
export async function startProduct() {
  const dir = mkdtempSync(join(tmpdir(), 'hcp-bench-'));
  const state = new State(dir);
  const host = '127.0.0.1';
  const port = await choosePort('0', host);
  const stop = (message) => {
    throw new Error(message);
  };
  const stack = new Stack({ state, host, port, public_url: `http://${host}:${port}`, onCrash: stop });
  await stack.startDatabase();
  await stack.startProcesses();
  const dev = await ensureDemo({ state, url: stack.url, app_url: stack.app_url });
  const { access_token } = await api(stack.url).post('/v1/auth/token', dev.owner);
  const owner = api(stack.url, access_token);
  await owner.post('/v1/packs', await benchPack(), 'application/gzip');
  await owner.put('/v1/packs/bench/activation', {});
  const fields = { token: 'bench-secret-0123456789abcdef' };
  await owner.post('/v1/bindings', { pack_id: 'bench', family: 'user', kind: 'secret', fields });
  return {
    url: stack.url,
    app_url: stack.app_url,
    dev,
    owner,
    async end() {
      await stack.stop();
      rmSync(state.runtime_dir, { recursive: true, force: true });
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function benchPack() {
  const command = (verb) => ({ description: 'Prints one JSON object.', cli: ['bench', verb] });
  const row = { operation: 'read', confirm: false, privacy: { land: 'public' } };
  const files = {
    'manifest.json': JSON.stringify({
      pack_id: 'bench',
      name: 'Bench',
      version: '1.0.0',
      description: 'A static binary.',
      kind: 'wrap',
      binding: { family: 'user', env: { BENCH_TOKEN: '{{token}}' } },
      wrap: { bin: 'bin/bench', json_flag: false },
    }),
    'surface.json': JSON.stringify({ commands: { run: command('run'), minted: command('minted') } }),
    'policy.json': JSON.stringify({ commands: { run: { ...row, binding: 'public' }, minted: row } }),
    'SKILL.md': '# Bench\n\nFor measurements.\n',
    'bin/bench': staticBinary(),
  };
  const tar = tarPack();
  for (const [name, content] of Object.entries(files)) {
    tar.entry({ name, mode: name.startsWith('bin/') ? 0o755 : 0o644, mtime: new Date(0) }, Buffer.from(content));
  }
  tar.finalize();
  const chunks = [];
  for await (const chunk of tar) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}
