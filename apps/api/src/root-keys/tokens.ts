/** Injection token of what the acts on keys work with. */
export const KEY_DEPS = Symbol('key-deps');
