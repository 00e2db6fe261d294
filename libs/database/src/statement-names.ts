import { createHash } from 'node:crypto';

/** Statements that a connection keeps prepared, at most. */
const MAX_NAMES = 400;

/**
 * Names each statement by its text, so that PostgreSQL plans it once for a connection and not for every call. Texts that
 * come after the first few hundred, such as those with lists of many lengths, stay without a name and are planned anew.
 */
export function statementNames(): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= MAX_NAMES) return '';
    const name = `hcp_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`;
    names.set(sql, name);
    return name;
  };
}
