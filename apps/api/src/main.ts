import { EnvError } from '@hcp/contracts';
import { createApp } from './platform/app.js';
import { readEnv } from './platform/env.js';

try {
  const env = readEnv(process.env);
  const app = await createApp(env);
  await app.listen(env.PORT, env.HOST);
} catch (error) {
  // The message alone: it names variables or says why, and never holds a value of the environment.
  process.stderr.write(`${error instanceof EnvError ? error.message : String((error as Error).stack ?? error)}\n`);
  process.exitCode = 1;
}
