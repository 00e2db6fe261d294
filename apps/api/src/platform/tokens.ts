/** Injection token of the checked environment (`Env`); everything else is injected by its class. */
export const ENV = Symbol('env');
/** Injection token of where root keys are kept (`Kms`). */
export const KMS = Symbol('kms');
/** Injection token of what links by mail need (`LinkDeps`). */
export const LINKS = Symbol('links');
