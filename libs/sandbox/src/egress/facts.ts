import { redacted, Secrets } from '../output/redact/redactor.js';
import type { EgressFacts } from './ledger.js';
import { EgressRules } from './rules.js';

/**
 * The facts with secrets hidden in the names of hosts, which a program may have made of them (SPEC B4). Names are in lower
 * case, so secrets are looked for in lower case too.
 */
export function redactEgress(facts: EgressFacts, secrets: readonly string[]): EgressFacts {
  const hidden = new Secrets([...secrets, ...secrets.map((secret) => secret.toLowerCase())]);
  const hide = <T extends { host: string }>(row: T): T => ({ ...row, host: redacted(row.host, hidden) });
  return { ...facts, contacted: facts.contacted.map(hide), refused: facts.refused.map(hide) };
}

/**
 * What of a pack's own list of hosts was reached, each with its port: `*.example.com:443`. These are the pack's words and
 * no program's, so that they can be told where no value may be (SPEC U1).
 */
export function declaredHosts({ contacted }: EgressFacts, network: readonly string[]): string[] {
  const words = contacted.flatMap(({ host, port }) => {
    const entry = network.find((each) => {
      const rules = EgressRules.parse([each]);
      return typeof rules !== 'number' && rules.allows(host, port);
    });
    return entry === undefined ? [] : [`${entry.replace(/:\d+$/, '')}:${port}`];
  });
  return [...new Set(words)].sort();
}
