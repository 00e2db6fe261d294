/** What a project's workspace may take through the files API. */
export interface FileLimits {
  /** One file, in bytes. */
  readonly file_bytes: number;
  /** All files together, in bytes. */
  readonly total_bytes: number;
  /** Files, folders and whatever else, together. */
  readonly entries: number;
}

export const DEFAULT_FILE_LIMITS: FileLimits = {
  file_bytes: 32 * 2 ** 20,
  total_bytes: 2 ** 30,
  entries: 10_000,
};

/** Folders in one another that are looked at; the sandbox takes no workspace that is nested deeper either. */
export const MAX_DEPTH = 256;
/** Entries of one folder that a listing tells; a program may have left more. */
export const MAX_LISTED = 10_000;
