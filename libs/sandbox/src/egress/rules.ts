import { parseHostPort } from '@hcp/egress';

/** Ports of a declared host that names none. */
const WEB_PORTS = [80, 443];

interface Rule {
  name: string;
  /** Any name below `name`, and not `name` itself. */
  below: boolean;
  port: number | null;
}

/** What a pack may reach (SPEC S4). */
export class EgressRules {
  private constructor(private readonly rules: readonly Rule[]) {}

  /**
   * Reads what a pack declares: `api.example.com`, `*.example.com` (any depth, not example.com itself, and no wildcard
   * over a single label), either with `:port`. Addresses are no hosts here. Answers the index of a bad entry instead.
   */
  static parse(declared: readonly string[]): EgressRules | number {
    const rules: Rule[] = [];
    for (const [at, entry] of declared.entries()) {
      const below = entry.startsWith('*.');
      const parsed = parseHostPort(below ? entry.slice(2) : entry);
      if (parsed?.host.kind !== 'name') return at;
      const name = parsed.host.text;
      if (below && !name.includes('.')) return at;
      rules.push({ name, below, port: parsed.port });
    }
    return new EgressRules(rules);
  }

  /** `name` as `parseHost` makes it. */
  allows(name: string, port: number): boolean {
    return this.rules.some(
      (rule) =>
        (rule.below ? name.endsWith(`.${rule.name}`) : name === rule.name) &&
        (rule.port === null ? WEB_PORTS.includes(port) : rule.port === port),
    );
  }
}
