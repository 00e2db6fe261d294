import { type CheckedHost, type EgressPolicy, parseHost, resolveChecked } from '@hcp/egress';
import type { Ledger } from './ledger.js';
import type { EgressRules } from './rules.js';

/** An answer of the proxy itself. */
export interface ProxyRefusal {
  ok: false;
  status: 400 | 403 | 502 | 504;
  text: string;
}

export function proxyRefusal(status: ProxyRefusal['status'], text: string): ProxyRefusal {
  return { ok: false, status, text: `egress: ${text}\n` };
}

/** Decides where one run may connect to, and notes what it decided. */
export class Gate {
  constructor(
    private readonly rules: EgressRules,
    private readonly policy: EgressPolicy,
    readonly ledger: Ledger,
  ) {}

  /** `host` as the client wrote it. What is not declared is refused before any name server hears of it. */
  async admit(host: string, port: number, signal: AbortSignal): Promise<CheckedHost | ProxyRefusal> {
    const parsed = parseHost(host);
    const shown = parsed?.text ?? JSON.stringify(host.slice(0, 253)).slice(1, -1);
    if (parsed?.kind !== 'name' || !this.rules.allows(parsed.text, port)) {
      this.ledger.refused(shown, port, 'not_declared');
      return proxyRefusal(403, `${shown}:${port} is not among the hosts that the pack declares`);
    }
    const checked = await resolveChecked(parsed.text, { ...this.policy, port, signal });
    if (checked.ok) return checked;
    this.ledger.refused(shown, port, checked.code);
    return checked.code === 'unresolvable'
      ? proxyRefusal(502, `${shown} cannot be resolved`)
      : proxyRefusal(403, `${shown} does not lead to a public address`);
  }
}
