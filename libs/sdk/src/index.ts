/** Everything of the SDK. In browsers it resolves to `browser.ts`, which leaves out what needs Node. */
export * from './browser.js';
export { local, LocalRuntime } from './local/local.js';
export { ApprovalFiles } from './local/approval-files.js';
export type { LocalOptions, Mint, MintRequest } from './local/options.js';
export type { LocalPack } from './local/packs.js';
