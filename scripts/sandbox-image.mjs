import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stop, step } from './lib/progress.mjs';
import { writeImage, writeLayer } from './lib/sandbox-image/archive.mjs';
import { loadImage } from './lib/sandbox-image/load.mjs';
import { BASE, collect, versions } from './lib/sandbox-image/packages.mjs';

/**
 * Makes the image that sandboxes of the docker driver run in, from Debian packages of this machine and without any
 * registry. The same versions give the same id.
 */
const USAGE = `usage: node scripts/sandbox-image.mjs [--add PACKAGE,...] [--host unix:///path] [--tag NAME] [--out FILE]
  --add   packages besides the basic ones: programs that you allow packs to run, such as git,jq,sqlite3,curl,ca-certificates
  --host  daemon that gets the image (default unix:///var/run/docker.sock; HCP_DOCKER_HOST)
  --tag   its name there (default hcp-sandbox:latest)
  --out   keep the archive here and load it nowhere, for docker load or podman load elsewhere
The last line is the image's id.`;

try {
  const { values } = parseArgs({
    options: {
      add: { type: 'string', default: '' },
      host: { type: 'string', default: process.env.HCP_DOCKER_HOST ?? 'unix:///var/run/docker.sock' },
      tag: { type: 'string', default: 'hcp-sandbox:latest' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) process.stdout.write(`${USAGE}\n`);
  else process.stdout.write(`${await make(values)}\n`);
} catch (error) {
  const known = error instanceof Stop || String(error.code).startsWith('ERR_PARSE_ARGS');
  process.stderr.write(`${known ? error.message : error.stack}\n`);
  if (known && !(error instanceof Stop)) process.stderr.write(`${USAGE}\n`);
  process.exitCode = 1;
}

async function make({ add, host, tag, out }) {
  const dir = mkdtempSync(join(tmpdir(), 'hcp-image-'));
  try {
    const packages = [...BASE, ...add.split(',').filter(Boolean)];
    const files = await step('collecting files', () => collect(packages));
    const layer = join(dir, 'layer.tar');
    const layer_digest = await step(`packing ${files.size} files`, () => writeLayer(files, layer));
    const archive = join(dir, 'image.tar');
    const labels = { 'hcp.packages': (await versions(packages)).join('; ') };
    const id = await writeImage({ layer, layer_digest, tag, labels, path: archive });
    process.stdout.write(`  ${Math.round(statSync(layer).size / 1e6)} MB, ${tag}\n`);
    if (out) copyFileSync(archive, out);
    else await step(`loading into ${host}`, () => loadImage(host, archive));
    return id;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
