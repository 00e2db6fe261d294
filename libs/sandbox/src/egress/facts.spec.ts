import { describe, expect, it } from 'vitest';
import { declaredHosts, redactEgress } from './facts.js';
import type { EgressFacts } from './ledger.js';

const bytes = { connections: 1, bytes_sent: 1, bytes_received: 1 };
const facts: EgressFacts = {
  contacted: [
    { host: 'canary-8d1f.example.com', port: 443, ...bytes },
    { host: 'other.example.com', port: 443, ...bytes },
    { host: 'api.test', port: 8080, ...bytes },
    { host: 'api.test', port: 80, ...bytes },
  ],
  refused: [{ host: 'canary-8d1f.evil.test', port: null, code: 'not_declared', count: 2 }],
  more: true,
};

describe('what is told of the hosts of a run', () => {
  it('are the pack’s own words, once each, where no value may be', () => {
    const network = ['*.example.com', 'api.test:8080', 'api.test', 'unused.test'];
    expect(declaredHosts(facts, network)).toEqual(['*.example.com:443', 'api.test:80', 'api.test:8080']);
    expect(declaredHosts(facts, [])).toEqual([]);
  });

  it('has no secret in a name, also where it was written in capitals', () => {
    const { contacted, refused, more } = redactEgress(facts, ['Canary-8D1F']);
    expect([contacted[0]?.host, refused[0]?.host, more]).toEqual([
      '[redacted].example.com',
      '[redacted].evil.test',
      true,
    ]);
    expect(contacted.slice(1)).toEqual(facts.contacted.slice(1));
  });
});
