import type { RuleDecision } from '@hcp/core';

/** What becomes of a call, in words and a colour. */
export const DECISION: Record<RuleDecision, { color: string; label: string }> = {
  allow: { color: 'green', label: 'runs' },
  ask: { color: 'yellow', label: 'asks first' },
  deny: { color: 'red', label: 'never runs' },
};
