/** What a form sent: each field once. */
export type Form = Readonly<Record<string, string | undefined>>;

/**
 * Parses what an HTML form sends, strictly: UTF-8, no field twice, because of two that differ each reader believes another.
 * @returns the fields, or what is wrong; never holds a value
 */
export function parseForm(raw: Buffer): Form | string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    return 'is not valid UTF-8';
  }
  const form = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in form) return 'has a field twice';
    form[name] = value;
  }
  return form;
}
