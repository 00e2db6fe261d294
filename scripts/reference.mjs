import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from './lib/build.mjs';
import { Stop } from './lib/progress.mjs';
import { differences, REFERENCE, referenceFiles } from './lib/reference.mjs';

/** `npm run reference` writes docs/reference from the code; with --check it only tells what differs. */
try {
  await build();
  if (process.argv.includes('--check')) {
    const wrong = await differences();
    for (const line of wrong) process.stdout.write(`${line}\n`);
    process.exitCode = wrong.length === 0 ? 0 : 1;
  } else {
    const files = await referenceFiles();
    rmSync(REFERENCE, { recursive: true, force: true });
    for (const [name, text] of files) {
      mkdirSync(dirname(join(REFERENCE, name)), { recursive: true });
      writeFileSync(join(REFERENCE, name), text);
    }
    process.stdout.write(`wrote ${files.size} files to docs/reference\n`);
  }
} catch (error) {
  if (!(error instanceof Stop)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
