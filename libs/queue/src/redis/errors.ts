/** How long the same trouble is told only once: a lost server is found lost again with every try to connect. */
const QUIET_MS = 10_000;

/**
 * An error with nothing but name, message and code. The client hangs the command and its arguments on what it throws,
 * and those of AUTH are the password (SPEC O2: values are never printed).
 */
export function plainError(error: unknown): Error {
  const { name, message, code, stack, errors } = error as Error & { code?: unknown; errors?: unknown };
  // Where a name has several addresses, each has its own reason and the whole has no message.
  const reasons = Array.isArray(errors) ? errors.map((one: Error) => one.message).join('; ') : '';
  const plain = new Error(`redis: ${message || reasons || String(code)}`);
  plain.name = name;
  if (stack) plain.stack = stack;
  return typeof code === 'string' ? Object.assign(plain, { code }) : plain;
}

/** Passes errors on, plain, and the same one not again and again. */
export function quietly(onError: (error: Error) => void): (error: unknown) => void {
  const told = new Map<string, number>();
  return (error) => {
    const plain = plainError(error);
    const now = Date.now();
    for (const [message, at] of told) if (now - at > QUIET_MS) told.delete(message);
    if (told.has(plain.message)) return;
    told.set(plain.message, now);
    onError(plain);
  };
}
