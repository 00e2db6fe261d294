/** Injection token of what the use cases of webhooks work with. */
export const WEBHOOKS = Symbol('webhooks');
