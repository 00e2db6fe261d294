/** Injection token of what the use cases of bindings work with. */
export const BINDINGS = Symbol('bindings');
