import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { SandboxDriver } from '@hcp/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  DRIVERS,
  makeDriver,
  makePlace,
  marker,
  type Place,
  processesWith,
  script,
  shell,
  SOON,
  sleepersWith,
  TRAITS,
} from './harness.js';

describe.each(DRIVERS)('%s', (requested) => {
  let place: Place;
  let driver: SandboxDriver;
  beforeAll(async () => {
    place = makePlace();
    driver = await makeDriver(place, { requested });
  });
  afterAll(async () => {
    await driver.close();
    place.remove();
  });

  describe('what a program sees of its environment', () => {
    it('is what the spec says and the five names of the sandbox', async () => {
      const { stdout } = await shell(driver, place, 'exec env -0', {
        env: { LEDGER: 'a b', QUOTED: `"'$\{x}\\\n$(id)` },
      });
      // The decoder shows NUL as \x00. PWD and OLDPWD are the shell's own.
      const pairs = stdout.split('\\x00').filter((pair) => pair !== '' && !pair.startsWith('PWD='));
      expect(pairs.sort()).toEqual([
        'HCP_SANDBOX=sandbox',
        'HOME=/tmp/home',
        'LANG=C.UTF-8',
        'LEDGER=a b',
        'PATH=/usr/local/bin:/usr/bin:/bin',
        `QUOTED="'$\{x}\\\n$(id)`,
        'TMPDIR=/tmp',
      ]);
    });

    it('holds for every process that it can look at', async () => {
      process.env.HCP_TEST_CANARY = 'of-the-worker';
      const other = marker();
      const busy = new AbortController();
      const neighbour = shell(
        driver,
        place,
        `exec sleep ${other}`,
        { env: { OTHERS: 'canary-of-another' } },
        { signal: busy.signal },
      );
      await vi.waitFor(() => expect(sleepersWith(other)).toHaveLength(1), SOON);
      const { stdout, kind } = await shell(driver, place, 'cat /proc/*/environ /proc/*/cmdline; ls /proc', {
        env: { MINE: 'canary-of-mine' },
      });
      busy.abort();
      await neighbour;
      delete process.env.HCP_TEST_CANARY;
      expect(kind).toBe('exited');
      expect(stdout).toContain('canary-of-mine');
      expect(stdout).not.toContain('of-the-worker');
      expect(stdout).not.toContain('canary-of-another');
      expect(stdout).not.toContain(other);
      expect(stdout.split('\n').filter((line) => /^\d+$/.test(line)).length).toBeLessThan(6);
    });
  });

  describe('what the host shows of a run', () => {
    it('never has the environment in a command line', async () => {
      const secret = `canary${marker()}`;
      const mark = marker();
      const stop = new AbortController();
      const run = shell(
        driver,
        place,
        `sleep ${mark}; true`,
        { env: { LEDGER_TOKEN: secret } },
        { signal: stop.signal },
      );
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(1), SOON);
      expect(processesWith(secret, 'cmdline')).toEqual([]);
      const holders = processesWith(secret, 'environ');
      expect(holders.length).toBeGreaterThan(0);
      for (const pid of holders) expect(statSync(`/proc/${pid}`).uid).toBeGreaterThanOrEqual(200_000);
      stop.abort();
      await run;
    });

    it('is an unprivileged uid without capabilities, under a filter and without new privileges', async () => {
      const mark = marker();
      const stop = new AbortController();
      const run = shell(driver, place, `sleep ${mark}; true`, {}, { signal: stop.signal });
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(1), SOON);
      const status = readFileSync(`/proc/${sleepersWith(mark)[0]}/status`, 'utf8');
      stop.abort();
      await run;
      expect(Number(/^Uid:\t(\d+)/m.exec(status)?.[1])).toBeGreaterThanOrEqual(200_000);
      expect(status).toMatch(TRAITS[requested].groups);
      for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
        expect(status).toMatch(`${name}:\t0000000000000000`);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      expect(status).toMatch(/^Seccomp:\t2$/m);
    });

    it('keeps pid 1 of the sandbox, which is of the same uid, out of reach', async () => {
      const { stdout, stderr } = await shell(
        driver,
        place,
        `for file in mem environ maps fd task/1/mem; do ls /proc/1/$file/ || cat /proc/1/$file; done > /tmp/seen
         echo x > /proc/1/mem; for signal in KILL STOP TERM HUP; do kill -$signal 1; done; cat /tmp/seen; echo end`,
      );
      expect(stdout).toBe('end\n');
      expect(stderr).toMatch(/cannot create \/proc\/1\/mem|\/proc\/1\/mem: (Permission denied|No such file)/);
    });

    it('gives two runs at the same time two uids', async () => {
      const marks = [marker(), marker()];
      const stop = new AbortController();
      const runs = marks.map((mark) => shell(driver, place, `sleep ${mark}; true`, {}, { signal: stop.signal }));
      await vi.waitFor(() => expect(marks.flatMap(sleepersWith)).toHaveLength(2), SOON);
      const uids = marks.flatMap(sleepersWith).map((pid) => statSync(`/proc/${pid}`).uid);
      stop.abort();
      await Promise.all(runs);
      expect(new Set(uids).size).toBe(2);
    });
  });

  describe('what a program reaches', () => {
    it('is no place of the host', async () => {
      const { stdout } = await shell(
        driver,
        place,
        'ls -A / /usr/local /usr/local/bin /usr/src /home /root /var /run /work /sys /mnt /opt /srv 2>/dev/null',
      );
      const top = stdout.slice(stdout.indexOf('/:\n') + 3, stdout.indexOf('\n\n')).split('\n');
      for (const name of top)
        expect([
          'bin',
          'dev',
          'etc',
          'lib',
          'lib32',
          'lib64',
          'libx32',
          'pack',
          'proc',
          'sbin',
          'tmp',
          'usr',
          ...TRAITS[requested].top,
        ]).toContain(name);
      expect(stdout).toContain('/usr/local/bin:\nnode');
      expect(stdout).not.toMatch(/^\/sys:\n./m);
      expect(stdout).not.toMatch(/^\/(home|root|var|run|work|mnt|opt|srv):/m);
    });

    it('is no secret file and no configuration of the host', async () => {
      const { stdout, stderr } = await shell(
        driver,
        place,
        `cat /etc/shadow /etc/machine-id /etc/resolv.conf /proc/1/root${place.dir}/pack/bin/sh; cat /etc/passwd`,
      );
      expect(stdout.split('\n').filter(Boolean)).toHaveLength(3);
      expect(stderr.match(/No such file/g)).toHaveLength(TRAITS[requested].not_there);
    });

    it('is no socket', async () => {
      const { stdout } = await shell(
        driver,
        place,
        'find / -xdev -type s 2>/dev/null; find /tmp /dev /etc /pack -type s; cat /proc/net/unix',
      );
      expect(stdout.trim().split('\n')).toEqual([expect.stringMatching(/^Num\s+RefCount/)]);
    });

    it('is no network, no listener of the host and no abstract socket of the host', async () => {
      const server = createServer((socket) => socket.destroy());
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const abstract = createServer((socket) => socket.destroy());
      await new Promise<void>((resolve) => abstract.listen(`\0hcp-test-${process.pid}`, resolve));
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      const { stdout } = await script(
        driver,
        place,
        `const net = require('net'), os = require('os');
       const targets = [{host:'127.0.0.1',port:${address.port}},{host:'1.1.1.1',port:53},{host:'169.254.169.254',port:80},{path:'\\0hcp-test-${process.pid}'}];
       for (const to of targets) { const s = net.connect(to); s.on('connect', () => console.log('reached', to)); s.on('error', (e) => console.log(e.code)); }
       console.log(Object.values(os.networkInterfaces()).flat().filter((i) => !i.internal).length);`,
      );
      server.close();
      abstract.close();
      const lines = stdout.trim().split('\n');
      expect(lines.shift()).toBe('0');
      expect(lines).toHaveLength(4);
      for (const line of lines) expect(line).toMatch(/^(ECONNREFUSED|ENETUNREACH)$/);
    });

    it('is no descriptor that the worker inherited or holds', async () => {
      const held = openSync('/etc/passwd', 'r');
      const { stdout } = await shell(driver, place, 'ls -l /proc/self/fd');
      closeSync(held);
      for (const line of stdout.trim().split('\n').slice(1)) {
        expect(line).toMatch(TRAITS[requested].descriptor);
      }
    });

    it('is a root, a pack, a /dev and an /etc that cannot be written', async () => {
      const { stderr, stdout } = await shell(
        driver,
        place,
        'for at in / /pack /pack/bin /dev /etc /usr /usr/bin /usr/local /usr/local/bin /proc/sys/kernel; do touch $at/x && echo written $at; done; rm -f /pack/bin/args /usr/bin/env; chmod 777 /pack/bin/sh; echo a >> /pack/bin/sh; echo 1 > /proc/sys/vm/overcommit_memory; true',
      );
      expect(stdout).toBe('');
      expect(stderr.match(/Read-only file system/g)?.length).toBeGreaterThanOrEqual(12);
      expect(readFileSync(join(place.pack_dir, 'bin/sh'), 'utf8')).not.toContain('\na\n');
    });

    it('is a private /tmp of the size that was asked for', async () => {
      const limits = { tmp_bytes: 1024 * 1024 };
      const first = await shell(driver, place, 'echo kept > /tmp/file; head -c 4000000 /dev/zero > /tmp/big', {
        limits,
      });
      expect(first.stderr).toContain('No space left');
      const second = await shell(driver, place, 'ls -A /tmp', { limits });
      expect(second.stdout).toBe('home\n');
    });
  });

  describe('what a program may ask of the kernel', () => {
    const call = (x64: number, arm64: number): number => (process.arch === 'x64' ? x64 : arm64);
    it.each([
      ['io_uring_setup', 425, '1, 0', 1],
      ['ptrace(TRACEME)', call(101, 117), '0, 0, 0, 0', 1],
      ['process_vm_readv', call(310, 270), '$$, 0, 0, 0, 0, 0', 1],
      ['keyctl', call(250, 219), '0, -3, 0', 1],
      ['add_key', call(248, 217), '0, 0, 0, 0, 0', 1],
      ['bpf', call(321, 280), '0, 0, 0', 1],
      ['perf_event_open', call(298, 241), '0, 0, -1, -1, 0', 1],
      ['userfaultfd', call(323, 282), '0', 1],
      ['mount', call(165, 40), '0, 0, 0, 0, 0', 1],
      ['fsopen', 430, '0, 0', 1],
      ['unshare(CLONE_NEWUSER)', call(272, 97), '0x10000000', 1],
      ['clone(CLONE_NEWUSER)', call(56, 220), '0x10000011, 0, 0, 0, 0', 1],
      ['clone3', 435, '0, 0', 38],
      ['setns', call(308, 268), '0, 0', 1],
      ['open_by_handle_at', call(304, 265), '0, 0, 0', 1],
      ['kexec_load', call(246, 104), '0, 0, 0, 0', 1],
      ['init_module', call(175, 105), '0, 0, 0', 1],
      ['reboot', call(169, 142), '0, 0, 0, 0', 1],
      ['swapon', call(167, 224), '0, 0', 1],
      ['settimeofday', call(164, 170), '0, 0', 1],
      ['personality(ADDR_NO_RANDOMIZE)', call(135, 92), '0x40000', 1],
      ['ioctl(TIOCSTI)', call(16, 29), '0, 0x5412, 0', 1],
      ['socket(AF_VSOCK)', call(41, 198), '40, 1, 0', 97],
      ['socket(AF_ALG)', call(41, 198), '38, 5, 0', 97],
      ['socket(AF_PACKET)', call(41, 198), '17, 3, 0', 97],
      ['a call that does not exist', 999, '0', 38],
    ])('refuses %s', async (_name, number, args, errno) => {
      const { stdout, stderr } = await shell(
        driver,
        place,
        `perl -e 'my $r = syscall(${number}, ${args}); print "$r ", $!+0;'`,
      );
      expect([stdout, stderr]).toEqual([`-1 ${errno}`, '']);
    });

    it('lets node, perl, the shell and coreutils work', async () => {
      const { stdout, stderr, exit_code } = await shell(
        driver,
        place,
        `node -e 'const {Worker}=require("worker_threads"),fs=require("fs"),http=require("http");fs.mkdirSync("/tmp/a/b",{recursive:true});
         const s=http.createServer((q,r)=>r.end("local")).listen(0,"127.0.0.1",()=>fetch("http://127.0.0.1:"+s.address().port).then((r)=>r.text()).then((t)=>{console.log(t);s.close()}));
         new Worker("require(\\"worker_threads\\").parentPort.postMessage(6*7)",{eval:true}).on("message",(m)=>console.log(m));
         console.log(require("child_process").execFileSync("uname",["-n"],{encoding:"utf8"}).trim(), require("os").userInfo().username)' | sort
       perl -e 'print join(",", map { $_ * 2 } 1..3), "\\n"'
       seq 100 | sort -rn | head -1; date -d @0 +%Y; mkfifo /tmp/f; (echo through > /tmp/f &); cat /tmp/f; echo direct > /dev/stderr; echo out > /dev/stdout`,
      );
      expect(stdout.split('\n')).toEqual([
        '42',
        'local',
        'sandbox sandbox',
        '2,4,6',
        '100',
        '1970',
        'through',
        'out',
        '',
      ]);
      expect([stderr, exit_code]).toEqual(['direct\n', 0]);
    });
  });
});
