/** Injection token of what the use cases of approvals work with. */
export const APPROVALS = Symbol('approvals');
