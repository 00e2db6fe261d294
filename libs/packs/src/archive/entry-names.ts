/** Why a name in an archive is refused; a sentence without the name. */
export type NameProblem = string;

const MAX_NAME_BYTES = 512;
const MAX_SEGMENT_BYTES = 255;
const MAX_DEPTH = 20;

/** Control, format (bidi, zero-width), surrogate and separator characters, and U+FFFD: what no valid UTF-8 was. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\uFFFD]/u;

/**
 * The pack-relative path of an archive's entry, or why it is refused (SPEC P7). A leading `./` is dropped, because
 * `tar -C dir .` writes one; the root itself (`./`) comes back as the empty path.
 */
export function entryPath(name: string): { ok: true; path: string } | { ok: false; why: NameProblem } {
  if (name === '') return refuse('has an empty name');
  if (UNSAFE.test(name)) return refuse('has control characters or invalid UTF-8 in its name');
  if (name.includes('\\')) return refuse('has a backslash in its name');
  if (name.startsWith('/')) return refuse('has an absolute path');
  if (/^[A-Za-z]:/.test(name)) return refuse('has an absolute path');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return refuse(`has a name of more than ${MAX_NAME_BYTES} bytes`);

  const path = trimmed(name);
  if (path === '') return { ok: true, path };
  const segments = path.split('/');
  if (segments.length > MAX_DEPTH) return refuse(`lies more than ${MAX_DEPTH} directories deep`);
  for (const segment of segments) {
    if (segment === '..') return refuse('has a ".." segment');
    if (segment === '.' || segment === '') return refuse('has an empty or "." segment');
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return refuse('has a segment of more than 255 bytes');
  }
  return { ok: true, path };
}

/** Without one leading `./` and one trailing `/`; `.` and `./` are the root. */
function trimmed(name: string): string {
  const relative = name === '.' ? '' : name.startsWith('./') ? name.slice(2) : name;
  return relative.endsWith('/') ? relative.slice(0, -1) : relative;
}

/**
 * Two names with the same key would be one file on some file system: those that differ in case only, or in how a
 * character is composed.
 */
export function collisionKey(path: string): string {
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC');
}

/** Every path that an archive has taken so far, parents included. */
export class NameRegister {
  readonly #taken = new Map<string, { path: string; type: 'file' | 'directory'; explicit: boolean }>();

  /** Takes `path`, or says why it cannot be taken. */
  add(path: string, type: 'file' | 'directory'): NameProblem | null {
    const segments = path.split('/');
    for (let depth = 1; depth < segments.length; depth += 1) {
      const problem = this.#take(segments.slice(0, depth).join('/'), 'directory', false);
      if (problem) return problem;
    }
    return this.#take(path, type, true);
  }

  #take(path: string, type: 'file' | 'directory', explicit: boolean): NameProblem | null {
    const key = collisionKey(path);
    const taken = this.#taken.get(key);
    if (!taken) {
      this.#taken.set(key, { path, type, explicit });
      return null;
    }
    if (taken.path !== path) return 'differs from another name only in case or in Unicode form';
    if (taken.type !== type) return 'is a file and a directory at once';
    if (explicit && taken.explicit) return 'is there twice';
    taken.explicit ||= explicit;
    return null;
  }
}

/** A name as it may be shown: unsafe characters escaped, cut at 200 characters. */
export function shownName(name: string): string {
  const shown = Array.from(name.slice(0, 200), (char) =>
    UNSAFE.test(char) ? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}` : char,
  ).join('');
  return name.length > 200 ? `${shown}…` : shown;
}

function refuse(why: NameProblem): { ok: false; why: NameProblem } {
  return { ok: false, why };
}
