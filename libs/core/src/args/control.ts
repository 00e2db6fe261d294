import { declaresArg } from '../packs/lookup.js';
import type { Command } from '../packs/surface.js';

/** Words in `args` that speak to the runtime and not to the command (SPEC E1). */
export const CONTROL_WORDS = ['confirm', 'apply', 'mode'] as const;

export interface Control {
  /** `confirm` or `apply` is exactly `true`; a text such as "true" is no yes. */
  readonly confirm: boolean;
  /** Present when `mode` is a text; "mock" asks for the mock binding. */
  readonly mode?: string;
}

/**
 * Takes the control words out of `args`. One that the command declares as its own argument stays in `rendered` too and
 * keeps its meaning (SPEC E1).
 */
export function splitControl(
  command: Command,
  args: Readonly<Record<string, unknown>>,
): { control: Control; rendered: Record<string, unknown> } {
  const own = (name: string): unknown => (Object.hasOwn(args, name) ? args[name] : undefined);
  const mode = own('mode');
  const control: Control = {
    confirm: own('confirm') === true || own('apply') === true,
    ...(typeof mode === 'string' ? { mode } : {}),
  };
  const kept = Object.entries(args).filter(([name]) => !isControlWord(name) || declaresArg(command, name));
  return { control, rendered: Object.fromEntries(kept) };
}

export const isControlWord = (name: string): boolean => (CONTROL_WORDS as readonly string[]).includes(name);
