import { describe, expect, it } from 'vitest';
import { timeFrom } from './args/times.js';
import { AT, hcpx, startApi, tempDir } from './testing/harness.js';

async function offline(words: string[]) {
  return hcpx(words, { home: await tempDir() });
}

describe('hcpx', () => {
  it.each([
    [['keys', 'add', '--help'], /unknown command of hcpx keys: add/],
    [['projects', 'craete'], /Did you mean create\?/],
    [['--json', '--session', 'x', 'keys', 'add'], /unknown command of hcpx keys: add/],
  ])('refuses a word that a group does not know: %j', async (words, message) => {
    const { code, out, err } = await offline(words);
    expect(code).toBe(2);
    expect(out + err).toMatch(message);
  });

  it('shows how a command is called where a word is missing', async () => {
    const { code, err } = await offline(['keys', 'create']);
    expect(code).toBe(2);
    expect(err).toContain("missing required argument 'name'");
    expect(err).toContain('Usage: hcpx keys create [options] <name>');
  });

  it('lists a group also behind its own options', async () => {
    const { url, calls } = await startApi({ 'GET /v1/projects': () => ({ json: { items: [], next_cursor: null } }) });
    const done = await hcpx(['--session', 'x', '--url', url, 'projects'], { home: await tempDir() });
    expect(done).toEqual({ code: 0, out: '', err: 'nothing to show\n' });
    expect(calls[0]?.headers['hcp-session']).toBe('x');
  });

  it('refuses --project where it would mean nothing', async () => {
    const { code, err } = await offline(['--project', 'x', 'whoami']);
    expect(code).toBe(2);
    expect(err).toContain('--project');
  });
});

describe('timeFrom', () => {
  const at = (text: string): string => timeFrom(text, '--expires', new Date(AT));
  it.each([
    ['30d', '2026-01-31T00:00:00.000Z'],
    ['90m', '2026-01-01T01:30:00.000Z'],
    ['2027-01-01', '2027-01-01T00:00:00.000Z'],
    ['2027-01-01T10:00:00+02:00', '2027-01-01T08:00:00.000Z'],
  ])('reads %s', (text, time) => {
    expect(at(text)).toBe(time);
  });
  it.each(['', 'tomorrow', '30', '30y', '2027-02-30', '2027-02-30T00:00:00Z', '2027-13-01', '01/02/2027', '-1d'])(
    'refuses %j',
    (text) => {
      expect(() => at(text)).toThrow(/--expires/);
    },
  );
});
