import { createApp } from './platform/app.js';
import { readEnv } from './platform/env.js';
import { checkRootKeys, startError } from './platform/start.js';

try {
  const env = readEnv(process.env);
  const app = await createApp(env);
  await checkRootKeys(app);
  await app.listen(env.PORT, env.HOST);
} catch (error) {
  // A message about the environment names variables, never a value.
  process.stderr.write(`api: ${startError(error)}\n`);
  process.exit(1);
}
