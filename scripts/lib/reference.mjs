import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './build.mjs';
import {
  capabilitiesPage,
  codesPage,
  environmentPage,
  findingsPage,
  indexPage,
  routesPage,
} from './reference-pages.mjs';

export const REFERENCE = join(ROOT, 'docs/reference');

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;
/** From what was built, so that it is the code's own word. */
const built = (path) => import(join(ROOT, path));

/** Every file of docs/reference, by name. @returns {Promise<Map<string, string>>} */
export async function referenceFiles() {
  const core = await built('libs/core/dist/index.js');
  const { finding } = await built('libs/core/dist/packs/check/findings.js');
  const { ROUTES } = await built('libs/contracts/dist/index.js');
  const api = await built('apps/api/dist/platform/env.js');
  const worker = await built('apps/worker/dist/env.js');
  const schemas = Object.entries(core.packJsonSchemas()).map(([name, schema]) => [
    `schemas/${name}.json`,
    json(schema),
  ]);
  return new Map([
    ['README.md', indexPage()],
    ...schemas,
    ['findings.md', findingsPage(core, finding)],
    ['exec-codes.md', codesPage(core)],
    ['capabilities.md', capabilitiesPage(core, ROUTES)],
    ['environment.md', environmentPage({ api: api.envSchema, worker: worker.envSchema })],
    ['routes.md', routesPage(ROUTES)],
    ['openapi.json', json(await openApi(api.readEnv))],
  ]);
}

/** As a running API would serve it; nothing is connected to. */
async function openApi(readEnv) {
  const { openApiOf } = await built('apps/api/dist/platform/openapi-file.js');
  return openApiOf(
    readEnv({
      PUBLIC_URL: 'https://hcp.example',
      DATABASE_URL: 'postgresql://127.0.0.1:1/none',
      QUEUE_DATABASE_URL: 'postgresql://127.0.0.1:1/none',
      HCP_ROOT_KEY: '0'.repeat(64),
    }),
  );
}

/** What docs/reference has otherwise than the code; empty where they agree. @returns {Promise<string[]>} */
export async function differences() {
  const wanted = await referenceFiles();
  const present = existsSync(REFERENCE)
    ? readdirSync(REFERENCE, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(REFERENCE.length + 1))
    : [];
  const problems = [];
  for (const [name, text] of wanted) {
    if (!present.includes(name)) problems.push(`docs/reference/${name} is missing`);
    else if (readFileSync(join(REFERENCE, name), 'utf8') !== text)
      problems.push(`docs/reference/${name} is out of date`);
  }
  for (const name of present) if (!wanted.has(name)) problems.push(`docs/reference/${name} belongs to nothing`);
  return problems.length === 0 ? [] : [...problems, 'npm run reference writes it anew'];
}
