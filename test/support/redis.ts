import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@hcp/testing';
import { eventually } from './process.js';

/** Debian's redis-server; where it is not installed, what needs it is skipped by name. */
export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;

/** A Redis of one test's own, to be lost, frozen and brought back. */
export interface RedisServer {
  readonly url: string;
  /** SIGKILL: what it held is gone, unless it `keeps`. */
  kill(): Promise<void>;
  /** On the same port as before; nothing where it runs. */
  start(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Says commands to it and gives its answers as they come over the wire. */
  say(...commands: string[]): Promise<string>;
  /** All that it holds now, whatever the kind of value. */
  contents(): Promise<string>;
  /** All that is said to it from now on, whoever says it. */
  monitor(): Promise<() => string>;
  stop(): Promise<void>;
}

export interface RedisOptions {
  readonly password?: string;
  /** Whether it writes down everything at once, so that it comes back as it was. */
  readonly keeps?: boolean;
}

/** One for each kind of value; the others answer that the kind is wrong. */
const READS = [
  ['GET'],
  ['HGETALL'],
  ['LRANGE', '0', '-1'],
  ['ZRANGE', '0', '-1', 'WITHSCORES'],
  ['SMEMBERS'],
  ['XRANGE', '-', '+'],
] as const;

export async function startRedis({ password, keeps = false }: RedisOptions = {}): Promise<RedisServer> {
  const dir = await mkdtemp('/var/tmp/hcp-redis-');
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--daemonize', 'no'];
  args.push('--logfile', join(dir, 'log'), '--appendonly', keeps ? 'yes' : 'no', '--appendfsync', 'always');
  if (password) args.push('--requirepass', password);
  let child: ChildProcess | null = null;
  const alive = () => child !== null && child.exitCode === null && child.signalCode === null;

  const say = (...commands: string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      socket.once('error', reject);
      socket.once('close', () => resolve(answer));
      const login = password ? [`AUTH ${password}`] : [];
      socket.end([...login, ...commands, 'QUIT', ''].join('\r\n'));
    });
  const server: RedisServer = {
    url: `redis://${password ? `:${password}@` : ''}127.0.0.1:${String(port)}/0`,
    say,
    async contents() {
      const keys = (await say('KEYS *')).split('\r\n').filter((line) => line !== '' && !/^[$*+]/.test(line));
      const of = (key: string): string[] =>
        READS.map(([command, ...rest]) => [command, JSON.stringify(key), ...rest].join(' '));
      return say('KEYS *', ...keys.flatMap(of));
    },
    async monitor() {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write('MONITOR\r\n'));
      socket.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined);
      await eventually('redis is listened to', () => Promise.resolve(text.includes('OK')));
      return () => text;
    },
    async start() {
      if (alive()) return;
      child = spawn('redis-server', args, { stdio: 'ignore' });
      await eventually('redis answers', () =>
        say('PING').then(
          (text) => text.includes('PONG'),
          () => false,
        ),
      );
    },
    async kill() {
      const ended = child && alive() ? once(child, 'exit') : null;
      child?.kill('SIGKILL');
      await ended;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async stop() {
      await server.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
