/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Writes HTML: whatever is put in is escaped, unless it is HTML from here. Attributes must stand in quotes. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html | readonly Html[])[]): Html {
  return new Html(
    parts.map((part, index) => part + (index < values.length ? shown(values[index] ?? '') : '')).join(''),
  );
}

function shown(value: string | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  if (typeof value !== 'string') return value.map(({ text }) => text).join('');
  return value.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? '');
}
