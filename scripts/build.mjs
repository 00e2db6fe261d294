import { build, generate } from './lib/build.mjs';
import { Stop } from './lib/progress.mjs';

try {
  await (process.argv.includes('--generate-only') ? generate() : build());
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
