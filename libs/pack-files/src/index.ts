export type { ArchiveFile, ArchiveFiles } from './files.js';
export { checkFiles, type CheckedFiles } from './check-files.js';
export { packDigest, DIGEST } from './digest.js';
export { HCP_CLI_PACK, hcpCliHint } from './hcp-cli.js';
