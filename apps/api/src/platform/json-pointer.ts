/** JSON pointer (RFC 6901) of a path in pieces. */
export function jsonPointer(path: readonly (PropertyKey | { readonly key: PropertyKey })[]): string {
  return path
    .map((segment) => String(typeof segment === 'object' ? segment.key : segment))
    .map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}
