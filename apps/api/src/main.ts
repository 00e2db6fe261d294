import { EnvError } from '@hcp/contracts';
import { createApp } from './platform/app.js';
import { readEnv } from './platform/env.js';

try {
  const env = readEnv(process.env);
  const app = await createApp(env);
  await app.listen(env.PORT, env.HOST);
} catch (error) {
  // A message about the environment names variables, never a value.
  process.stderr.write(`api: ${error instanceof EnvError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}
