/** The project files, or null where this API has no data directory. */
export const FILES = Symbol('files');
