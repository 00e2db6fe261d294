import { existsSync } from 'node:fs';
import { build } from './lib/build.mjs';
import { ensureBubblewrap } from './lib/bubblewrap.mjs';
import { choosePort } from './lib/ports.mjs';
import { Stop, step } from './lib/progress.mjs';
import { Stack } from './lib/stack.mjs';
import { State } from './lib/state.mjs';

/** `npm start` (SPEC O1): from a checkout to a running demo, in the foreground until Ctrl-C. */

const host = process.env.HOST || '127.0.0.1';
let unlock = () => undefined;
let stack = null;
let ending = null;

/** Ends everything once, however it came to that. */
function end(code, message) {
  ending ??= (async () => {
    if (message) process.stderr.write(`\n${message}\n`);
    if (stack) {
      process.stdout.write('\nstopping ...\n');
      await stack.stop();
      process.stdout.write('stopped\n');
    }
    unlock();
    process.exit(code);
  })();
  return ending;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end(0));
watchParent();

try {
  const state = new State(process.env.HCP_STATE_DIR || '.hcp');
  unlock = state.lock();
  for (const dir of state.orphans()) {
    process.stdout.write(`${dir} has data of an earlier ${state.dir} whose keys are gone; rm -rf ${dir} removes it\n`);
  }
  const port = await choosePort(process.env.PORT, host);
  await step('building', build);
  await ensureBubblewrap();
  const public_url = process.env.PUBLIC_URL || `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
  stack = new Stack({ state, host, port, public_url, onCrash: (message) => void end(1, message) });
  await stack.startDatabase();
  const readiness = await stack.startProcesses();
  process.stdout.write(`  sandbox: ${readiness.sandbox.driver ?? 'none'} (${readiness.sandbox.detail})\n`);

  const { ensureDemo, showDemo } = await import('./lib/demo.mjs');
  const dev = await ensureDemo({ state, url: stack.url, app_url: stack.app_url });
  await showDemo({ dev, url: stack.url, dev_json: state.path('dev.json') });
} catch (error) {
  await end(1, error instanceof Stop ? error.message : error.stack);
}

/** npm may be killed alone; its own death is then the only sign. */
function watchParent() {
  if (process.env.npm_lifecycle_event !== 'start' || !existsSync('/proc/self')) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void end(0);
  }, 500).unref();
}
