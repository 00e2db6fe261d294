/** What the files API may refuse; the API has one status for each code. */
export type FileRefusalCode =
  | 'not_found'
  | 'missing_capability'
  | 'invalid_path'
  /** There is something else: a folder, a link, a device. */
  | 'conflict'
  | 'too_large'
  | 'quota_exceeded'
  | 'workspace_busy';

export interface FileRefusal {
  readonly ok: false;
  readonly code: FileRefusalCode;
  /** For people; never holds a part of the path. */
  readonly detail: string;
}

export const fileRefusal = (code: FileRefusalCode, detail: string): FileRefusal => ({ ok: false, code, detail });

/** Another's project, one that is not there and one that the caller is no member of look alike. */
export const NO_PROJECT = fileRefusal('not_found', 'no such project, or not yours to see');
export const NO_FILE = fileRefusal('not_found', 'no such file');
export const NO_FOLDER = fileRefusal('conflict', 'a part of the path is no folder; links are never followed');
export const BUSY = fileRefusal('workspace_busy', 'a run or another change is writing in this workspace');
export const CLOSED = fileRefusal('conflict', 'the mode of a file or folder keeps it closed');
