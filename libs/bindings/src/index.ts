export { createBinding, revokeBinding, rotateBinding, type BindingDeps } from './manage.js';
export { listBindings } from './list.js';
export { bindingIdentity, mintStored, staleBinding, type Minted, type MintedLease, type MintRefusal } from './mint.js';
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
