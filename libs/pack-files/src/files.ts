/** One file of a pack. Of its mode only the executable bit is kept. */
export interface ArchiveFile {
  readonly content: Buffer;
  readonly executable: boolean;
}
/** Pack-relative path to file; directories are implied. */
export type ArchiveFiles = Map<string, ArchiveFile>;
