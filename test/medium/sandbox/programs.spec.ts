import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SandboxDriver } from '@hcp/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { DRIVERS, makeDriver, makePlace, marker, type Place, shell, SOON, sleepersWith } from './harness.js';

describe.each(DRIVERS)('%s', (requested) => {
  let place: Place;
  let driver: SandboxDriver;
  beforeAll(async () => {
    place = makePlace();
    const tools = join(place.dir, 'closed');
    mkdirSync(tools);
    writeFileSync(join(tools, 'tool'), '#!/bin/sh\necho tool "$@"\n', { mode: 0o755 });
    const allowed_bins = {
      echo: '/bin/echo',
      env: '/usr/bin/env',
      tool: join(tools, 'tool'),
      absent: '/usr/bin/no-such-thing',
    };
    driver = await makeDriver(place, { requested, allowed_bins });
  });
  afterAll(async () => {
    await driver.close();
    place.remove();
  });

  describe('arguments', () => {
    it('arrive one by one and literally', async () => {
      const argv = [
        '; id',
        '$(id)',
        '`id`',
        '{{amount}}',
        '%s',
        'a\nb',
        '',
        ' ',
        '*',
        '"',
        "'",
        '\\',
        '--',
        '-x',
        'é€😀',
        '~',
        '$HOME',
        '\t',
      ];
      const outcome = await shell(driver, place, '', { bin: 'bin/args', argv });
      expect(JSON.parse(outcome.stdout)).toEqual(argv);
    });

    it('with NUL or beyond what the kernel takes are refused', async () => {
      expect(await shell(driver, place, '', { argv: ['ok', 'a\0b'] })).toMatchObject({
        kind: 'failed_to_start',
        error: 'sandbox: argv[1] holds a NUL',
      });
      const outcome = await shell(driver, place, '', { bin: 'bin/args', argv: ['x'.repeat(200_000)] });
      expect(outcome).toMatchObject({ kind: 'failed_to_start', error: 'sandbox: the arguments are too long' });
    });

    it('come with an empty stdin and no terminal', async () => {
      const outcome = await shell(
        driver,
        place,
        'cat; readlink /proc/self/fd/0; test -t 0 || echo none; echo x > /dev/tty',
      );
      expect(outcome.stdout).toContain('/dev/null\nnone\n');
      expect(outcome.stderr).toContain('/dev/tty');
    });
  });

  describe('the end of a program', () => {
    it.each([
      ['exit 0', 0],
      ['exit 1', 1],
      ['exit 127', 127],
      ['exit 255', 255],
      ['kill -9 $$', 137],
      ['kill -15 $$', 143],
    ])('%s', async (script, exit_code) => {
      expect(await shell(driver, place, script)).toMatchObject({ kind: 'exited', exit_code, oom: false });
    });

    it('is no start where the interpreter is missing', async () => {
      const said: string[] = [];
      const onOutput = (stream: string, text: string): void => void said.push(stream, text);
      const outcome = await shell(driver, place, '', { bin: 'bin/orphaned' }, { onOutput });
      expect(said, 'what the launcher says is no output').toEqual([]);
      expect(outcome).toMatchObject({
        kind: 'failed_to_start',
        exit_code: null,
        error: 'sandbox: cannot start "bin/orphaned": its file or its interpreter is not there',
      });
    });
  });

  describe('the allow-list', () => {
    it.each([
      'sh',
      'cat',
      '/bin/sh',
      '../outside',
      'bin/../../outside',
      'bin/plain',
      'bin',
      'bin/none',
      '',
      '.',
      'bin/escape',
      'absent',
    ])('refuses %j', async (bin) => {
      writeFileSync(join(place.dir, 'outside'), '#!/bin/sh\necho out', { mode: 0o755 });
      try {
        symlinkSync('../../outside', join(place.pack_dir, 'bin/escape'));
      } catch {
        // There from the case before.
      }
      expect(await shell(driver, place, 'true', { bin })).toMatchObject({
        kind: 'bin_not_allowlisted',
        exit_code: 127,
        error: `sandbox: bin "${bin}" not allowlisted`,
        stdout: '',
      });
    });

    it('takes links that stay inside, allowed names and programs from elsewhere', async () => {
      symlinkSync('args', join(place.pack_dir, 'bin/inner'));
      expect((await shell(driver, place, '', { bin: 'bin/inner', argv: ['a'] })).stdout).toBe('["a"]');
      expect((await shell(driver, place, '', { bin: 'echo', argv: ['a', '$b'] })).stdout).toBe('a $b\n');
      expect((await shell(driver, place, '', { bin: 'tool', argv: ['c'] })).stdout).toBe('tool c\n');
      expect(driver.notes.join()).toContain('allowed bin absent is not on this machine');
    });

    it.each([
      'LD_PRELOAD',
      'NODE_OPTIONS',
      'GIT_SSH_COMMAND',
      'PYTHONPATH',
      'PERL5LIB',
      'RUBYOPT',
      'BASH_ENV',
      'ENV',
      'PATH',
      'HOME',
    ])('refuses %s for what operators allow', async (name) => {
      expect(await shell(driver, place, '', { bin: 'env', argv: [], env: { [name]: 'canary-value' } })).toMatchObject({
        kind: 'failed_to_start',
        error: `sandbox: environment variable ${name} loads code and is not allowed`,
        stdout: '',
      });
    });

    it('refuses the linker and Node options for pack programs, and HCP_SANDBOX, NUL and odd names for all', async () => {
      const refused: Record<string, string>[] = [
        { LD_PRELOAD: 'x' },
        { LD_LIBRARY_PATH: 'x' },
        { NODE_OPTIONS: 'x' },
        { HCP_SANDBOX: 'x' },
        { A: 'a\0--bind' },
        { 'A=B': 'x' },
      ];
      for (const env of refused) {
        const outcome = await shell(driver, place, 'env', { env });
        expect(outcome.kind).toBe('failed_to_start');
        expect(outcome.error).toContain(Object.keys(env)[0]);
      }
      expect((await shell(driver, place, 'echo $PYTHONPATH', { env: { PYTHONPATH: '/pack/lib' } })).stdout).toBe(
        '/pack/lib\n',
      );
    });

    it('refuses uploaded packs until the operator opts in', async () => {
      expect((await shell(driver, place, 'true', { uploaded: true })).kind).toBe('failed_to_start');
      const opted = await makeDriver(place, { requested, allow_uploaded: [requested] });
      expect((await shell(opted, place, 'true', { uploaded: true })).exit_code).toBe(0);
      await opted.close();
    });
  });

  describe('the working directory', () => {
    it('is the pack, read-only, for mode pack', async () => {
      const outcome = await shell(driver, place, 'pwd; ls -A; touch x; ls /workspace');
      expect(outcome.stdout).toBe('/pack\nbin\n');
      expect(outcome.stderr).toContain('Read-only');
      // docker's image has the mount point, empty.
      if (requested === 'bubblewrap') expect(outcome.stderr).toContain('/workspace');
    });

    it.each(['project', 'workspace'] as const)('is the workspace for mode %s, and is kept', async (mode) => {
      const dir = place.workspace();
      const workspace = { mode, dir };
      expect(
        (
          await shell(driver, place, 'pwd; echo kept > file; mkdir -p a/b; umask 077; echo p > a/b/private', {
            workspace,
          })
        ).stdout,
      ).toBe('/workspace\n');
      expect(
        (await shell(driver, place, 'cat file a/b/private; test -x /pack/bin/sh && echo pack', { workspace })).stdout,
      ).toBe('kept\np\npack\n');
      expect(readFileSync(join(dir, 'file'), 'utf8')).toBe('kept\n');
    });

    it('is writable whatever slot runs next, and links in it hand nothing over', async () => {
      const dir = place.workspace();
      const outside = join(place.dir, 'outside-file');
      writeFileSync(outside, 'host');
      chmodSync(outside, 0o600);
      writeFileSync(join(dir, 'by-root'), 'r', { mode: 0o600 });
      symlinkSync(outside, join(dir, 'link'));
      symlinkSync(place.dir, join(dir, 'folder-link'));
      const workspace = { mode: 'workspace', dir } as const;
      await shell(
        driver,
        place,
        'echo 1 > state; mkdir -m 700 private; echo 2 > private/inner; chmod 400 state; echo 3 >> by-root',
        { workspace },
      );
      const first = statSync(dir).uid;
      // The slot of the first run is taken, so the next run has another uid.
      const mark = marker();
      const stop = new AbortController();
      const busy = shell(
        driver,
        place,
        `sleep ${mark}`,
        { workspace: { mode: 'workspace', dir } },
        { signal: stop.signal },
      );
      await vi.waitFor(() => expect(sleepersWith(mark)).toHaveLength(1), SOON);
      const second = await shell(driver, place, 'cat state private/inner by-root; cat link', { workspace });
      const uid = statSync(dir).uid;
      stop.abort();
      await busy;
      expect(uid).not.toBe(first);
      expect(second.stdout).toBe('1\n2\nr3\n');
      expect(second.stderr).toContain('link');
      expect(statSync(outside).uid).toBe(process.getuid?.());
      expect(statSync(place.dir).uid).toBe(process.getuid?.());
      linkSync(join(dir, 'state'), join(dir, 'state-2'));
    });

    it('is fresh and removed for mode ephemeral, whatever the program does to it', async () => {
      const workspace = { mode: 'ephemeral', dir: null } as const;
      // Deeper than a path can be long.
      const nest = 'perl -e \'for (1..1200) { mkdir "dddddddd" and chdir "dddddddd" or die } print "deep\\n"\'';
      const outcome = await shell(
        driver,
        place,
        `pwd; ls -A; mkdir -p a/b; touch a/b/c; ln -s / root; chmod 000 a/b a; ${nest}; chmod 000 .`,
        { workspace },
      );
      expect(outcome.stdout).toBe('/workspace\ndeep\n');
      expect(readdirSync(join(place.data_dir, 'ephemeral'))).toEqual([]);
      expect((await shell(driver, place, 'ls -A', { workspace })).stdout).toBe('');
    });

    it('is refused where there is none', async () => {
      expect(
        await shell(driver, place, 'true', { workspace: { mode: 'project', dir: join(place.dir, 'nowhere') } }),
      ).toMatchObject({
        kind: 'failed_to_start',
        error: 'sandbox: the workspace is no folder',
      });
    });
  });
});

describe('bubblewrap, which mounts as the user of the run', () => {
  it('refuses a workspace with a reason where the sandbox may not enter', async () => {
    const place = makePlace();
    const driver = await makeDriver(place);
    const closed = join(place.dir, 'closed-parent');
    mkdirSync(join(closed, 'workspace'), { recursive: true });
    chmodSync(closed, 0o700);
    const outcome = await shell(driver, place, 'true', {
      workspace: { mode: 'project', dir: join(closed, 'workspace') },
    });
    expect(outcome).toMatchObject({
      kind: 'failed_to_start',
      error: "sandbox: the workspace lies in a folder that the sandbox's user may not enter",
    });
    await driver.close();
    place.remove();
  });
});
