/** Injection tokens of what has no class of its own. */
export const KEYS = Symbol('keys');
export const QUEUE = Symbol('queue');
export const BUS = Symbol('bus');
