import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  openSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type SandboxOutcome, selectDriver } from '@hcp/sandbox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeDriver, makePlace, makeSpec, marker, type Place, selectOptions, shell, sleepersWith } from './harness.js';

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

describe('selectDriver', () => {
  it('takes bubblewrap for auto and says what limits it has', async () => {
    const driver = await makeDriver(place, { requested: 'auto' });
    expect(driver.name).toBe('bubblewrap');
    expect(driver.notes.join()).toMatch(/limits by cgroup v[12]/);
    await driver.close();
  });

  it('gives drivers of one machine different uids', async () => {
    const drivers = await Promise.all([makeDriver(place), makeDriver(place)]);
    const [first, second] = drivers.map((driver) => driver.notes.find((note) => note.includes('uids')));
    expect(first).not.toBe(second);
    for (const driver of drivers) await driver.close();
  });

  it('gives workers other uids too that share the data_dir and nothing else, as two containers do', async () => {
    // Abstract sockets end at the network namespace.
    const options = JSON.stringify(selectOptions(place));
    const script = `const { selectDriver } = await import('@hcp/sandbox');
      const selected = await selectDriver(${options});
      console.log(selected.ok ? selected.driver.notes.join('; ') : selected.reason);
      process.stdin.resume();`;
    const argv = ['--net', process.execPath, '--input-type=module', '-e', script];
    const other = spawn('unshare', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(other, 'exit');
    try {
      const theirs = /have uids (\d+)/.exec(String((await once(other.stdout, 'data'))[0]))?.[1];
      expect(theirs).toBeDefined();
      const driver = await makeDriver(place);
      expect(driver.notes.join()).toMatch(/have uids \d+/);
      expect(driver.notes.join()).not.toContain(`have uids ${String(theirs)}`);
      await driver.close();
    } finally {
      other.kill('SIGKILL');
      await ended;
    }
  });

  it('refuses a data_dir that sandboxes cannot enter', async () => {
    const closed = join(place.dir, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const selected = await selectDriver(selectOptions(place, { data_dir: join(closed, 'data') }));
    expect(selected).toMatchObject({ ok: false, reason: `the sandbox's user may not enter ${closed}` });
  });

  it('runs a node that lies where others may not enter', async () => {
    const hidden = join(place.dir, 'hidden');
    mkdirSync(hidden, { mode: 0o700 });
    copyFileSync(process.execPath, join(hidden, 'node'));
    chmodSync(join(hidden, 'node'), 0o700);
    const driver = await makeDriver(place, { node_bin: join(hidden, 'node') });
    expect((await shell(driver, place, 'node -p 6*7')).stdout).toBe('42\n');
    await driver.close();
  });

  it('refuses native-local in production', async () => {
    expect(await selectDriver(selectOptions(place, { requested: 'native-local' }))).toMatchObject({ ok: false });
  });
});

describe('native-local', () => {
  const over = { requested: 'native-local', production: false } as const;

  it('runs programs with their own environment and says what it is', async () => {
    const driver = await makeDriver(place, over);
    const outcome = await shell(driver, place, 'echo $HCP_SANDBOX $A; pwd; exit 4', { env: { A: 'a' } });
    expect(outcome).toMatchObject({ kind: 'exited', exit_code: 4, stdout: `native-local a\n${place.pack_dir}\n` });
    expect((await shell(driver, place, 'true', { bin: 'sh' })).kind).toBe('bin_not_allowlisted');
    expect((await shell(driver, place, 'true', { uploaded: true })).kind).toBe('failed_to_start');
    expect((await shell(driver, place, '', { bin: 'bin/orphaned' })).kind).toBe('failed_to_start');
    await driver.close();
  });

  it('kills the process group and does not wait for who holds the pipes', async () => {
    const driver = await makeDriver(place, over);
    const [grouped, escaped] = [marker(), marker()];
    const outcome = await shell(driver, place, `setsid sleep ${escaped} & sleep ${grouped} & sleep ${grouped}`, {
      limits: { timeout_ms: 500 },
    });
    expect(outcome.kind).toBe('timeout');
    await vi.waitFor(() => expect(sleepersWith(grouped)).toEqual([]));
    for (const pid of sleepersWith(escaped)) process.kill(pid, 'SIGKILL');
    expect((await shell(driver, place, 'yes', { limits: { output_bytes: 100 } })).kind).toBe('output_limit');
    await driver.close();
  });
});

describe('an unprivileged worker', () => {
  it('runs sandboxes under its own uid, with rlimits in place of cgroups, and passes on no descriptor that it inherited', () => {
    const uid = 54_321;
    const home = join(place.dir, 'unprivileged');
    cpSync(dirname(fileURLToPath(import.meta.resolve('@hcp/sandbox'))), join(home, 'dist'), { recursive: true });
    writeFileSync(join(home, 'package.json'), '{"type":"module"}');
    for (const name of ['@hcp/core', '@hcp/egress', 'ipaddr.js', 'zod']) copyPackage(name, home);
    copyFileSync(process.execPath, join(home, 'node'));
    chmodSync(join(home, 'node'), 0o755);
    const data_dir = join(home, 'data');
    mkdirSync(data_dir);
    chownSync(data_dir, uid, uid);
    const options = selectOptions(place, { data_dir, node_bin: join(home, 'node') });
    const spec = makeSpec(place, {
      argv: ['id -u; touch ok; ulimit -f; node -p 1; ls; readlink /proc/self/fd/60'],
      workspace: { mode: 'ephemeral', dir: null },
    });
    writeFileSync(
      join(home, 'main.mjs'),
      `import { selectDriver } from './dist/index.js';
       const selected = await selectDriver(${JSON.stringify(options)});
       if (!selected.ok) { console.log(JSON.stringify(selected)); process.exit(1); }
       const outcome = await selected.driver.run(${JSON.stringify(spec)}, { signal: new AbortController().signal });
       console.log(JSON.stringify({ notes: selected.driver.notes, outcome }));
       await selected.driver.close();`,
    );
    const held = openSync('/etc/passwd', 'r');
    const { stdout, stderr } = spawnSync(join(home, 'node'), [join(home, 'main.mjs')], {
      uid,
      gid: uid,
      cwd: '/',
      encoding: 'utf8',
      // Node closes low descriptors at start by itself; this one it leaves open.
      stdio: ['ignore', 'pipe', 'pipe', ...Array.from({ length: 57 }, () => 'ignore' as const), held],
    });
    closeSync(held);
    expect(stderr).toBe('');
    const { notes, outcome } = JSON.parse(stdout) as { notes: string[]; outcome: SandboxOutcome };
    expect(outcome.stderr).toBe('');
    expect(outcome).toMatchObject({ kind: 'exited', exit_code: 0, stdout: '1000\n524288\n1\nok\n/dev/null\n' });
    expect(notes.join()).toMatch(/no cgroups|cgroup v2/);
  });
});

/** Copies what a package publishes to where a user that may not enter this checkout can load it. */
function copyPackage(name: string, home: string): void {
  const from = realpathSync(join(import.meta.dirname, '../../../node_modules', name));
  cpSync(from, join(home, 'node_modules', name), {
    recursive: true,
    filter: (path) => !/\/(src|node_modules)(\/|$)/.test(path.slice(from.length)),
  });
}
