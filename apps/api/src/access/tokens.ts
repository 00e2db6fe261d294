/** Injection token of what the use cases of access work with. */
export const ACCESS = Symbol('access');
