export { createBinding, revokeBinding, rotateBinding, type BindingDeps } from './manage.js';
export { getBinding, listBindings, staleBindings } from './list.js';
export { bindingWays } from './ways.js';
export {
  bindingIdentity,
  dueRefresh,
  mintStored,
  renewDue,
  staleBinding,
  type Due,
  type Minted,
  type MintedLease,
  type MintRefusal,
} from './mint.js';
export {
  chooseBinding,
  mostSpecific,
  type BindingFacts,
  type BindingState,
  type MintNeed,
  type Need,
} from './choose.js';
export { bindingAvailability, type BindingAvailability } from './availability.js';
export type { MintDeps } from './kinds/kind.js';
export type { Answer, BindingRefusal, BindingRefusalCode } from './refusal.js';
export type { LoadPack, Sealer, TenantSealer } from './ports.js';
export type { CredentialEvents, CredentialFact } from './oauth/events.js';
export { Providers, type ProvidersOptions } from './oauth/providers.js';
export {
  Refresher,
  type DueRefresh,
  type RefresherDeps,
  type RefresherOptions,
  type Refreshed,
} from './oauth/refresher.js';
export { sweepBindings } from './oauth/stale.js';
export { revokeAtProvider, type RevokeAtProvider } from './oauth/revoke.js';
export {
  createProviderClient,
  deleteProviderClient,
  getProviderClient,
  listProviderClients,
  updateProviderClient,
  type ProviderClientDeps,
} from './oauth/clients.js';
export { beginConnect, CALLBACK_PATH, getConnection, redirectUri, type ConnectDeps } from './oauth/connect.js';
export {
  arrive,
  depart,
  startPage,
  type Arrival,
  type BrowserDeps,
  type Departure,
  type StartPage,
  type Stuck,
} from './oauth/callback.js';
export { createOwnAccount, isOwnAccount, kindOf, rotateOwnAccount } from './oauth/own-account.js';
