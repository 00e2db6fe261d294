import { removeContainersOf } from '../reap.js';
import { Engine } from '../engine.js';

/**
 * Runs beside a worker, as a process of its own: `node main.js SOCKET OWNER`. Its stdin is held by the worker. When that ends
 * without the word that all is well, the worker is dead, and its containers are removed, whatever they do (SPEC S3).
 */

/** A container that was being made when the worker died may come up later than the others. */
const WATCH_MS = 10_000;
const PAUSE_MS = 250;

const [socket = '', owner = ''] = process.argv.slice(2);
let said = '';
for await (const chunk of process.stdin as AsyncIterable<Buffer>) said = `${said}${chunk.toString()}`.slice(-16);
if (!said.endsWith('closed\n')) {
  const engine = new Engine(socket);
  for (const until = Date.now() + WATCH_MS; Date.now() < until;) {
    await removeContainersOf(engine, owner).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  engine.close();
}
