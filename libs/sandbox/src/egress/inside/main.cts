/**
 * Runs inside a sandbox, as a file of its own: `node egress.cjs SOCKET PORT PROGRAM [ARGUMENT...]`. Listens on the
 * sandbox's own loopback, passes each connection on to the unix socket, and only then starts the program, whose exit code
 * becomes its own. It has no more rights than the program and is trusted with nothing: the proxy outside decides.
 */
import { spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';
import { constants } from 'node:os';

const [socketPath = '', port = '', program = '', ...argv] = process.argv.slice(2);

const server = createServer({ allowHalfOpen: true }, (client) => {
  const outside = connect({ path: socketPath, allowHalfOpen: true });
  join(client, outside);
  join(outside, client);
});
server.on('error', () => fail('cannot listen', 125));
server.listen({ host: '127.0.0.1', port: Number(port), backlog: 128 }, () => {
  const child = spawn(program, argv, { stdio: 'inherit' });
  child.on('error', (error: NodeJS.ErrnoException) => {
    fail(`cannot start the program (${error.code ?? 'unknown'})`, error.code === 'ENOENT' ? 127 : 126);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
});

function join(from: Socket, to: Socket): void {
  from.on('error', () => to.destroy());
  from.on('close', () => {
    if (from.errored) to.destroy();
  });
  from.pipe(to);
}

function fail(what: string, code: number): never {
  process.stderr.write(`sandbox: ${what}\n`);
  process.exit(code);
}
