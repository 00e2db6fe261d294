export { addressKind, canonicalAddress, type AddressKind } from './address.js';
export { parseHost, parseHostPort, parsePort, type Host } from './host.js';
export { allowsPrivate, badAllowance, type EgressPolicy, type Resolve } from './policy.js';
export { nameServers, systemResolve } from './system-resolve.js';
export {
  resolveChecked,
  type CheckedHost,
  type EgressCode,
  type EgressRefusal,
  type ResolveOptions,
} from './resolve.js';
export { mayBePlain, urlProblem } from './url.js';
export { parseTarget, type Target } from './target.js';
export { connectChecked, pinnedLookup } from './connect.js';
export { safeFetch, type SafeAnswer, type SafeFetchOptions } from './safe-fetch.js';
export { checkedFetch, EgressError, type CheckedFetchInit } from './checked-fetch.js';
