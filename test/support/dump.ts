import pg from 'pg';

/** Every row of every table, by `schema.table`, as the superuser sees it: nothing is hidden by row-level security. */
export async function dump(superuser_url: string): Promise<Map<string, string[]>> {
  const client = new pg.Client({ connectionString: superuser_url });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
       WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
    );
    const found = new Map<string, string[]>();
    for (const { name } of tables.rows) {
      const rows = await client.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${name} t ORDER BY 1`);
      found.set(
        name,
        rows.rows.map(({ row }) => row),
      );
    }
    return found;
  } finally {
    await client.end();
  }
}

/** What a tenant owns, to be compared before and after someone else's attempts. */
export async function rowsOf(superuser_url: string, tenant_id: string): Promise<Record<string, string[]>> {
  const all = await dump(superuser_url);
  return Object.fromEntries([...all].map(([table, rows]) => [table, rows.filter((row) => row.includes(tenant_id))]));
}

/** Every plain way that a text could be written down: itself, escaped, hex, and base64 at any offset. */
export function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset, 'x'), bytes]).toString('base64');
    // Without the characters that the bytes around it decide.
    return text
      .slice(offset === 0 ? 0 : offset + 1)
      .replace(/=+$/, '')
      .slice(0, -1);
  });
  const safe = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const json = JSON.stringify(secret).slice(1, -1);
  return [...new Set([secret, json, encodeURIComponent(secret), bytes.toString('hex'), ...base64, ...safe])];
}

/** Any so many characters in a row of any spelling, white space aside, are too many. */
const PIECE = 12;

/** Looks for pieces of these secrets, however they are spelled; answers the first that it finds. */
export function leakFinder(secrets: readonly string[]): (text: string) => string[] {
  const pieces = new Set(
    secrets.flatMap(spellings).flatMap((spelling) => {
      const plain = spelling.replace(/\s/g, '');
      return Array.from({ length: Math.max(0, plain.length - PIECE + 1) }, (_, at) => plain.slice(at, at + PIECE));
    }),
  );
  return (text) => {
    const plain = text.replace(/\s/g, '');
    for (let at = 0; at + PIECE <= plain.length; at += 1) {
      const piece = plain.slice(at, at + PIECE);
      if (pieces.has(piece)) return [piece];
    }
    return [];
  };
}
