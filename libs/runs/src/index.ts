export { Exec, type ExecDeps } from './exec.js';
export { RunExecutor, type ExecutorDeps } from './worker/executor.js';
export { reap, type ReaperDeps } from './worker/reaper.js';
export { eraseEnded } from './worker/erase.js';
export { RunWaiter, Watches, type Watch } from './waiter.js';
export { DEFAULT_RUNS_CONFIG, type RunsConfig } from './config.js';
export { storedAgent, storedProcess } from './authority.js';
export type {
  Asker,
  LoadAccess,
  LoadFacts,
  LoadPinned,
  LoadedFacts,
  ReloadCaller,
  SignWorkload,
  TenantKeys,
} from './ports.js';
export { Workspaces, type Workspace } from './workspaces.js';
export { WrapAdapter, type WrapDeps } from './adapters/wrap.js';
export { OpenapiAdapter, type OpenapiDeps } from './adapters/openapi.js';
export { SenseAdapter } from './adapters/sense.js';
export { HcpCliAdapter } from './adapters/hcp-cli.js';
export type { Adapter, AdapterCall, Adapters } from './adapters/adapter.js';
export { cancelRun } from './cancel.js';
export {
  getNamedRun,
  getRun,
  listRuns,
  outcomeOf,
  seenRuns,
  type NamedRunView,
  type RunFilter,
  type RunView,
} from './queries.js';
export { MAX_PIECE } from './live/live-output.js';
export { cutAt } from './live/pending-output.js';
export { readOutput } from './live/read-output.js';
export { runNumbers, type RunNumbers } from './numbers.js';
export { isTerminal } from './envelope.js';
