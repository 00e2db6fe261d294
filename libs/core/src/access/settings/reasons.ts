import type { RuleCall } from '../rules/rule-set.js';
import type { Mode } from './settings.js';

/** Why a call asks, for programs (SPEC A7). */
export const ACCESS_REASON_CODES = ['confirm_always', 'confirm', 'mode_manual', 'rule_ask'] as const;
export type AccessReasonCode = (typeof ACCESS_REASON_CODES)[number];

/** What a mode asks about (SPEC A1, A2); null where it lets the command run. */
export function reasonFor(
  mode: Mode,
  { confirm, operation }: Pick<RuleCall, 'confirm' | 'operation'>,
): { reason_code: AccessReasonCode; reason: string } | null {
  if (confirm === 'always') {
    return { reason_code: 'confirm_always', reason: 'Policy confirm "always": every mode asks' };
  }
  switch (mode) {
    case 'run':
      return null;
    case 'manual':
      if (operation !== 'read') return { reason_code: 'mode_manual', reason: `Mode manual: every ${operation} asks` };
      break;
    case 'auto':
      break;
    default:
      // A mode that this runtime does not know asks about everything.
      return { reason_code: 'mode_manual', reason: 'The mode is unknown: everything asks' };
  }
  return confirm ? { reason_code: 'confirm', reason: `Policy confirm true: mode ${mode} asks` } : null;
}
