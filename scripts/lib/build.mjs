import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './run.mjs';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GENERATED = join(ROOT, 'libs/database/src/generated/client.ts');
/** Beside what it speaks of: gone when that is. */
const STAMP = join(ROOT, 'libs/database/src/generated/.fingerprint');

/** What the generated client depends on. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const file of ['prisma/schema.prisma', 'prisma.config.ts', 'node_modules/prisma/package.json']) {
    hash.update(readFileSync(join(ROOT, file))).update('\0');
  }
  return hash.digest('hex');
}

/**
 * Generates the database client where schema.prisma changed. Prisma's command line would download a native engine that
 * generating does not use; naming any program as that engine spares it, and works without a network.
 */
export async function generate() {
  const now = fingerprint();
  const before = existsSync(STAMP) && existsSync(GENERATED) ? readFileSync(STAMP, 'utf8') : '';
  if (now === before) return;
  await run(process.execPath, [join(ROOT, 'node_modules/prisma/build/index.js'), 'generate'], {
    cwd: ROOT,
    env: {
      ...process.env,
      PRISMA_SCHEMA_ENGINE_BINARY: '/bin/true',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      CHECKPOINT_DISABLE: '1',
    },
  });
  writeFileSync(STAMP, now);
}

const DASHBOARD = join(ROOT, 'apps/dashboard');
/** Not in `dist`, which is served. */
const DASHBOARD_STAMP = join(ROOT, 'node_modules/.cache/hcp/dashboard.fingerprint');

/** What the pages are made of: their own sources, and those of the libs that they take in. */
function dashboardFingerprint() {
  const hash = createHash('sha256');
  for (const file of ['index.html', 'vite.config.ts', 'package.json', '../../package-lock.json']) {
    hash.update(readFileSync(join(DASHBOARD, file))).update('\0');
  }
  for (const folder of ['apps/dashboard', 'libs/core', 'libs/contracts', 'libs/schemas', 'libs/sdk']) {
    const source = join(ROOT, folder, 'src');
    for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || entry.name.includes('.spec.')) continue;
      const path = join(entry.parentPath, entry.name);
      hash.update(path).update('\0').update(readFileSync(path)).update('\0');
    }
  }
  return hash.digest('hex');
}

/** The pages, where something of them changed. */
async function buildDashboard() {
  const now = dashboardFingerprint();
  const built = existsSync(join(DASHBOARD, 'dist/index.html')) && existsSync(DASHBOARD_STAMP);
  if (built && readFileSync(DASHBOARD_STAMP, 'utf8') === now) return;
  await run(process.execPath, [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
    cwd: DASHBOARD,
  });
  mkdirSync(join(DASHBOARD_STAMP, '..'), { recursive: true });
  writeFileSync(DASHBOARD_STAMP, now);
}

/** Everything that runs, from source; does next to nothing when it is up to date. */
export async function build() {
  await generate();
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b', 'tsconfig.build.json'], {
    cwd: ROOT,
  });
  await buildDashboard();
}
