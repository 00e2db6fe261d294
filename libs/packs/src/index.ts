export {
  readArchive,
  ARCHIVE_LIMITS,
  type ArchiveFile,
  type ArchiveFiles,
  type ArchiveLimits,
  type ReadArchive,
} from './archive/read-archive.js';
export { packDigest, DIGEST } from './archive/digest.js';
export { schemaCheck, argsSchemaProblem } from './schema/schema-check.js';
export { loadFacts, type FactsQuery, type LoadedFacts } from './facts/load-facts.js';
export { packOfVersion } from './facts/pack-cache.js';
export { PackStore, type PackStoreOptions } from './store/pack-store.js';
export { checkArchive, checkFiles, type CheckedArchive } from './versions/check-archive.js';
export { installPack, type InstalledPack } from './versions/install-pack.js';
export {
  activatePack,
  deactivatePack,
  rollbackPack,
  type Activated,
  type ActivationTarget,
} from './versions/activation.js';
export { deleteVersion } from './versions/delete-version.js';
export type { PackRefusal, PackRefusalCode } from './versions/refusal.js';
export { listPacks, getPack, packSkill, type PackView, type PackDetailView, type SkillView } from './versions/views.js';
export { listCommands, type CommandView } from './versions/commands.js';
export { HCP_CLI_PACK } from './hcp-cli/pack.js';
export { runHcpCli, type BindingState, type HcpCliContext } from './hcp-cli/run.js';
