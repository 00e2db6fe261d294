/** Injection tokens of what the use cases of bindings work with. */
export const BINDINGS = Symbol('bindings');
/** Of those that lead a person to a provider and back. */
export const CONNECTING = Symbol('connecting');
/** Tells a provider that a token is not used any more. */
export const AT_PROVIDER = Symbol('at provider');
export const PROVIDER_CLIENTS = Symbol('oauth clients');
