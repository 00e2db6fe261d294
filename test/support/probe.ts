import { readdirSync, readFileSync } from 'node:fs';
import { packArchive } from './packs.js';

/** A program that looks for what it should not find, and answers what it found. */
const BIN = `#!/usr/bin/env node
const fs = require('node:fs');
const net = require('node:net');
const { spawn, execFileSync } = require('node:child_process');
const [verb, ...rest] = process.argv.slice(2);
const say = (value) => console.log(JSON.stringify(value));
const read = (path) => { try { return fs.readFileSync(path, 'utf8'); } catch { return null; } };
const list = (path) => { try { return fs.readdirSync(path); } catch { return []; } };
const connect = (options) => new Promise((done) => {
  const socket = net.connect(options);
  socket.setTimeout(3000, () => { socket.destroy(); done('timeout'); });
  socket.on('connect', () => { socket.destroy(); done('connected'); });
  socket.on('error', (error) => done(error.code));
});
const walk = (path, depth, found) => {
  for (const name of list(path)) {
    const full = path === '/' ? '/' + name : path + '/' + name;
    if (/^\\/(proc|sys|usr|bin|sbin|lib|lib64|etc|pack)$/.test(full)) continue;
    let info; try { info = fs.lstatSync(full); } catch { continue; }
    found.push([full, info.isSocket() ? 'socket' : info.isDirectory() ? 'folder' : info.isFile() ? 'file' : 'other']);
    if (info.isDirectory() && depth > 0) walk(full, depth - 1, found);
  }
  return found;
};
const verbs = {
  env: () => say(process.env),
  proc: () => say(list('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => ({
    environ: read('/proc/' + pid + '/environ'), cmdline: read('/proc/' + pid + '/cmdline'),
  }))),
  sockets: () => say({
    unix: (read('/proc/net/unix') ?? '').split('\\n').slice(1).filter(Boolean),
    files: ['/', '/run', '/var/run', '/tmp', '/dev', '/workspace'].flatMap((path) => walk(path, 3, [])).filter(([, kind]) => kind === 'socket'),
    docker: ['/run/docker.sock', '/var/run/docker.sock', '/run/containerd/containerd.sock', '/run/dbus/system_bus_socket'].filter((path) => fs.existsSync(path)),
    fds: list('/proc/self/fd').map((fd) => { try { return fs.readlinkSync('/proc/self/fd/' + fd); } catch { return ''; } }).filter((to) => to.startsWith('socket:')),
  }),
  paths: () => say({
    there: JSON.parse(rest[0]).filter((path) => fs.existsSync(path)),
    tree: walk('/', 2, []).map(([path]) => path).filter((path) => !path.startsWith('/dev')),
    pack: list('/pack'), mounts: read('/proc/self/mountinfo'),
    written: ['/x', '/pack/x', '/usr/x', '/etc/x', '/proc/sys/kernel/hostname', '/dev/x'].filter((path) => { try { fs.writeFileSync(path, 'x'); return true; } catch { return false; } }),
  }),
  keep: () => { fs.writeFileSync('mine', rest[0]); say(list('.')); },
  look: () => say(list('.').concat(list('..'), list('../..')).filter((name) => name === 'mine' || name === 'private')),
  network: async () => say({
    ports: await Promise.all(JSON.parse(rest[0]).map((port) => connect({ port, host: '127.0.0.1' }))),
    elsewhere: await Promise.all(['169.254.169.254', '10.0.0.1', '1.1.1.1', '::1'].map((host) => connect({ port: 80, host }))),
    abstract: await connect({ path: '\\0' + rest[1] }),
    names: await Promise.all(['localhost', 'example.com', 'postgres'].map((name) => require('node:dns').promises.resolve4(name).then(() => 'resolved', (error) => error.code))),
    interfaces: Object.keys(require('node:os').networkInterfaces()),
    routes: (read('/proc/net/route') ?? '').split('\\n').slice(1).filter(Boolean),
  }),
  setsid: () => {
    for (const stdio of ['ignore', 'inherit']) {
      spawn('setsid', ['sh', '-c', "trap '' TERM HUP INT; exec sleep " + rest[0]], { detached: true, stdio }).unref();
    }
    say({ started: true });
    if (rest[1] === 'stay') setInterval(() => undefined, 1000); else process.exit(0);
  },
  sleep: () => spawn('sleep', [rest[0]], { stdio: 'inherit' }),
  line: () => { const chunk = Buffer.alloc(65536, 'x'); const go = () => { while (process.stdout.write(chunk)); process.stdout.once('drain', go); }; go(); },
  lines: () => { const chunk = Buffer.from('line of output\\n'.repeat(4096)); const go = () => { while (process.stdout.write(chunk)); process.stdout.once('drain', go); }; go(); },
  forks: () => {
    let started = 0; let refused = 0;
    const more = () => {
      if (started + refused >= 2000) return say({ started, refused }), process.exit(0);
      try {
        const child = spawn('sleep', [rest[0]], { stdio: 'ignore', detached: true });
        child.on('error', () => { refused += 1; });
        if (child.pid) started += 1;
      } catch { refused += 1; }
      setImmediate(more);
    };
    more();
  },
  hello: () => say({ hello: rest[0] }),
};
verbs[verb]();
`;

const VERBS = [
  'env',
  'proc',
  'sockets',
  'paths',
  'keep',
  'look',
  'network',
  'setsid',
  'sleep',
  'line',
  'lines',
  'forks',
  'hello',
];

/** The pack of that program: workspaces of this kind, and this environment. */
export function probePack(
  pack_id: string,
  agent_env: Record<string, string>,
  timeout_ms = 20_000,
  mode: 'workspace' | 'project' = 'workspace',
): Promise<Buffer> {
  const args = { type: 'object' as const, properties: { a: { type: 'string' }, b: { type: 'string' } } };
  const commands: Parameters<typeof packArchive>[0]['commands'] = Object.fromEntries(
    VERBS.map((verb) => [
      verb,
      {
        description: `Tries ${verb}.`,
        cli: [pack_id, verb, '{{a}}', '{{b}}'],
        args,
        idempotent: false,
        policy: { privacy: { land: 'personal' as const } },
      },
    ]),
  );
  const wrap = { workspace: { mode }, agent_env, timeout_ms } as const;
  return packArchive({ pack_id, bin: BIN, binding: { family: 'local' }, wrap, commands });
}

/** Command lines of everything that runs on this machine, NUL between items. */
export function hostCommandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      } catch {
        return [];
      }
    });
}
