import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import tar from 'tar-stream';

/** No date of its own, so that the same files give the same image. */
const EPOCH = new Date(0);
const TOP = ['bin', 'lib', 'lib32', 'lib64', 'libx32', 'sbin'];
const FOLDERS = [
  '/dev',
  '/etc',
  '/pack',
  '/proc',
  '/sys',
  '/tmp',
  '/usr',
  '/usr/local',
  '/usr/local/bin',
  '/usr/local/lib',
  '/workspace',
];
const GENERATED = {
  '/etc/hosts': '127.0.0.1 localhost sandbox\n::1 localhost\n',
  '/etc/nsswitch.conf':
    'passwd: files\ngroup: files\nshadow: files\nhosts: files dns\nservices: files\nprotocols: files\n',
  '/etc/passwd': 'root:x:0:0:root:/:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n',
  '/etc/group': 'root:x:0:\nnogroup:x:65534:\n',
};

/**
 * Writes the one layer of the image: everything belongs to root, is dated 0 and comes in the order of its name; no bit
 * makes a program more than its caller.
 * @returns {Promise<string>} sha256 of the layer
 */
export async function writeLayer(files, path) {
  const entries = new Map([...files]);
  for (const name of TOP) {
    const info = lstatSync(`/${name}`, { throwIfNoEntry: false });
    if (info?.isSymbolicLink()) entries.set(`/${name}`, { link: `usr/${name}` });
  }
  for (const [name, text] of Object.entries(GENERATED)) entries.set(name, { text });
  for (const name of [...entries.keys(), ...FOLDERS.map((folder) => `${folder}/.`)]) {
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) {
      const folder = name.slice(0, at);
      if (!entries.has(folder)) entries.set(folder, { folder: true });
    }
  }
  const pack = tar.pack();
  const written = pipeline(pack, createWriteStream(path));
  for (const [name, entry] of [...entries].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const common = { name: name.slice(1), uid: 0, gid: 0, mtime: EPOCH };
    if (entry.folder) await put(pack, { ...common, type: 'directory', mode: name === '/tmp' ? 0o1777 : 0o755 });
    else if (entry.link !== undefined)
      await put(pack, { ...common, type: 'symlink', linkname: entry.link, mode: 0o777 });
    else if (entry.text !== undefined) await put(pack, { ...common, mode: 0o644 }, entry.text);
    else await put(pack, { ...common, mode: statSync(entry.from).mode & 0o755 }, readFileSync(entry.from));
  }
  pack.finalize();
  await written;
  return sha256(path);
}

/**
 * Writes the archive that `docker load` and `podman load` take.
 * @returns {Promise<string>} the image's id, which is the digest of its configuration
 */
export async function writeImage({ layer, layer_digest, tag, labels, path }) {
  const config = JSON.stringify({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    created: EPOCH.toISOString(),
    config: { Labels: labels },
    rootfs: { type: 'layers', diff_ids: [`sha256:${layer_digest}`] },
    history: [{ created: EPOCH.toISOString(), comment: 'packages of the machine' }],
  });
  const digest = createHash('sha256').update(config).digest('hex');
  const manifest = JSON.stringify([
    { Config: `${digest}.json`, RepoTags: [tag], Layers: [`${layer_digest}/layer.tar`] },
  ]);
  const pack = tar.pack();
  const written = pipeline(pack, createWriteStream(path));
  const common = { mtime: EPOCH, mode: 0o644 };
  await put(pack, { ...common, name: `${digest}.json` }, config);
  await put(pack, { ...common, name: `${layer_digest}/`, type: 'directory', mode: 0o755 });
  const entry = pack.entry({ ...common, name: join(layer_digest, 'layer.tar'), size: statSync(layer).size });
  await pipeline(createReadStream(layer), entry);
  await put(pack, { ...common, name: 'manifest.json' }, manifest);
  pack.finalize();
  await written;
  return `sha256:${digest}`;
}

function put(pack, header, body) {
  return new Promise((resolve, reject) => {
    const done = (error) => (error ? reject(error) : resolve());
    if (body === undefined) pack.entry(header, done);
    else pack.entry(header, body, done);
  });
}

async function sha256(path) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
