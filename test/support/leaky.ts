import { packArchive } from './packs.js';

/** Says its secret in one way after another: what programs do by accident, and some that look like it. */
const BIN = `#!/usr/bin/env node
const [way] = process.argv.slice(2);
const t = process.env.LEAK_TOKEN ?? '';
const out = (text) => process.stdout.write(text);
const later = (parts, write) => parts.forEach((part, i) => setTimeout(() => write(part), 30 * i));
const html = (s) => s.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
const ways = {
  plain: () => out('the token is ' + t + ' indeed\\n'),
  json: () => out(JSON.stringify({ token: t, nested: JSON.stringify({ t }), other: 'kept' })),
  split: () => later(['one ', ...t.match(/.{1,5}/gsu), ' two'], out),
  split_stderr: () => later(['one ', ...t.match(/.{1,3}/gsu), ' two'], (part) => process.stderr.write(part)),
  lines: () => out([...t].join('\\n')),
  words: () => out(t.split(/[-.]/).join('\\n')),
  base64: () => out([0, 1, 2].map((n) => Buffer.from('x'.repeat(n) + t + 'tail').toString('base64')).join('\\n')),
  base64url: () => out([0, 1, 2].map((n) => Buffer.from('x'.repeat(n) + t + 'tail').toString('base64url')).join('\\n')),
  wrapped: () => out(Buffer.from((t + ' ').repeat(3)).toString('base64').replace(/.{20}/g, '$&\\r\\n')),
  wrapped_json: () => out(JSON.stringify({ b: Buffer.from((t + ' ').repeat(3)).toString('base64').replace(/.{20}/g, '$&\\n') })),
  basic: () => out('Authorization: Basic ' + Buffer.from('someone:' + t).toString('base64')),
  url: () => out('GET /?q=' + encodeURIComponent(t) + '&' + new URLSearchParams({ t })),
  hex: () => out(Buffer.from(t).toString('hex')),
  html: () => out('<p>' + html(t) + '</p>'),
  env: () => out(JSON.stringify(process.env)),
  stderr: () => { console.error('failed with ' + t); process.exit(3); },
  crash: () => { throw new Error('no such account: ' + t); },
  hang: () => { out(t.slice(0, 24)); setInterval(() => {}, 1000); },
  flood: () => { const line = t + '\\n'; const go = () => { while (process.stdout.write(line.repeat(200))); process.stdout.once('drain', go); }; go(); },
  short: () => out(t.slice(0, 5) + ' ' + t.split(/[^a-z0-9]/i).filter((p) => p.length < 6).join(' ') + ' kept'),
  wait: () => setTimeout(() => out(JSON.stringify({ set: t !== '' })), 1500),
  sum: () => out(JSON.stringify({
    sha256: require('node:crypto').createHash('sha256').update(t).digest('hex'),
    bearer: process.env.LEAK_AUTH === 'Bearer ' + t,
    names: Object.keys(process.env).filter((n) => n.startsWith('LEAK_')).sort(),
  })),
};
ways[way]();
`;

export const WAYS = [
  'plain',
  'json',
  'split',
  'split_stderr',
  'lines',
  'words',
  'base64',
  'base64url',
  'wrapped',
  'wrapped_json',
  'basic',
  'url',
  'hex',
  'html',
  'env',
  'stderr',
  'crash',
] as const;

/** A pack whose commands need a binding with one field, `token`, and say it aloud. */
export function leakyPack(pack_id: string, family: 'user' | 'mothership' = 'user'): Promise<Buffer> {
  const names = [...WAYS, 'hang', 'flood', 'short', 'wait', 'sum'];
  return packArchive({
    pack_id,
    bin: BIN,
    binding: {
      family,
      provider: 'leaky.example',
      env: { LEAK_TOKEN: '{{token}}', LEAK_AUTH: 'Bearer {{token}}' },
    },
    wrap: { timeout_ms: 8000 },
    commands: Object.fromEntries(
      names.map((name) => [
        name,
        { description: `Leaks: ${name}.`, cli: [pack_id, name], policy: { operation: 'read' } },
      ]),
    ),
  });
}
