/** Injection token of what the use cases of Sense work with. */
export const SENSE = Symbol('sense');
