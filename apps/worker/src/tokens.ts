/** Injection tokens of what has no class of its own. */
export const ENV = Symbol('env');
export const KEYS = Symbol('keys');
/** Where root keys are kept. */
export const KMS = Symbol('kms');
export const QUEUE = Symbol('queue');
export const BUS = Symbol('bus');
/** The outcome of choosing a sandbox driver; `DRIVER` is the driver, or null where there is none. */
export const SELECTED = Symbol('selected');
export const DRIVER = Symbol('driver');
export const FACTS = Symbol('facts');
export const EXECUTOR = Symbol('executor');
export const REAPER = Symbol('reaper');
export const DELIVERER = Symbol('deliverer');
/** Starts the looks of Sense sources. */
export const LOOKOUT = Symbol('lookout');
export const PRESENCE = Symbol('presence');
