import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { generate, ROOT } from './lib/build.mjs';
import { migrationDrift } from './lib/drift.mjs';
import { licenceProblems } from './lib/licences.mjs';
import { differences } from './lib/reference.mjs';
import { attempt } from './lib/run.mjs';
import { step } from './lib/progress.mjs';

/** `npm run check`: everything that can be said of the code without running it. A warning is an error. */

const tool =
  (path, ...args) =>
  async () => {
    const { ok, output } = await attempt(process.execPath, [join(ROOT, 'node_modules', path), ...args], { cwd: ROOT });
    return ok ? '' : output.trim() || `${path} failed`;
  };

/** The folders of source; a lib's dist is what others import of it, not source. */
function sources() {
  const workspaces = ['libs', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}/src`),
  );
  return [...workspaces, 'test', 'bench'].filter((path) => existsSync(join(ROOT, path)));
}

/** Each gives what is wrong, or nothing. */
const CHECKS = [
  ['formatting', tool('prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.')],
  ['types', tool('typescript/bin/tsc', '-b', 'tsconfig.build.json')],
  ['types of tests', tool('typescript/bin/tsc', '-p', 'tsconfig.test.json')],
  ['lint', tool('eslint/bin/eslint.js', '--max-warnings', '0', '.')],
  [
    'import rules',
    tool('dependency-cruiser/bin/dependency-cruiser.mjs', '--config', '.dependency-cruiser.mjs', ...sources()),
  ],
  ['licences', () => licenceProblems().join('\n')],
  ['migrations make schema.prisma', migrationDrift],
  ['reference', async () => (await differences()).join('\n')],
];

await generate();
const wrong = [];
for (const [name, check] of CHECKS) {
  const problem = await step(`checking ${name}`, async () => {
    try {
      return await check();
    } catch (error) {
      return error.message;
    }
  });
  if (problem === '') continue;
  wrong.push(name);
  process.stdout.write(`${problem}\n\n`);
}
process.stdout.write(wrong.length === 0 ? '\nall checks passed\n' : `\nfailed: ${wrong.join(', ')}\n`);
process.exitCode = wrong.length === 0 ? 0 : 1;
