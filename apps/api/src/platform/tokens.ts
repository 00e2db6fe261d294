/** Injection token of the checked environment (`Env`); everything else is injected by its class. */
export const ENV = Symbol('env');
