export { Workspaces, type Workspace, type WorkspaceOwner } from './workspaces.js';
export { keepLock, releaseLock, takeLock, type Lock } from './locks.js';
export { FILE_PATH_LIMITS, parseFilePath, type ParsedPath } from './paths.js';
export { DEFAULT_FILE_LIMITS, type FileLimits } from './limits.js';
export { fileRefusal, type FileRefusal, type FileRefusalCode } from './refusal.js';
export { ProjectFiles, type ProjectFilesOptions, type WrittenFile } from './project-files.js';
export type { FolderEntry, FolderListing, OpenedFile } from './fs/tree.js';
