export { Hcp, type ExecOptions } from './hcp.js';
export { HcpError, type HcpErrorCode } from './errors.js';
export type { CallOptions, Runtime } from './runtime.js';
export { remote, type RemoteRuntime } from './remote/remote.js';
export type { RemoteOptions } from './remote/transport.js';
export { items, type RemoteApi } from './remote/api.js';
export type { FollowOptions } from './remote/events.js';
