import { processIo } from './io.js';
import { run } from './main.js';

export { run } from './main.js';
export type { Io, Sink } from './io.js';

/** `hcpx` itself. The exit code is set, not forced, so that what was written reaches a pipe. */
export async function main(): Promise<void> {
  process.exitCode = await run(process.argv.slice(2), processIo());
}
