export { readArchive, ARCHIVE_LIMITS, type ArchiveLimits, type ReadArchive } from './archive/read-archive.js';
export { argsSchemaProblem, schemaCheck } from '@hcp/schemas';
export {
  checkFiles,
  DIGEST,
  HCP_CLI_PACK,
  packDigest,
  type ArchiveFile,
  type ArchiveFiles,
  type CheckedFiles,
} from '@hcp/pack-files';
export { loadFacts, type FactsQuery, type LoadedFacts } from './facts/load-facts.js';
export { packOfVersion } from './facts/pack-cache.js';
export { PackStore, type PackStoreOptions } from './store/pack-store.js';
export { checkArchive } from './versions/check-archive.js';
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
export { runHcpCli, type BindingState, type HcpCliContext } from './hcp-cli/run.js';
