const PLACEHOLDER = /\{\{([A-Za-z_][A-Za-z0-9_-]{0,63})\}\}/g;

export interface Filled {
  readonly text: string;
  /** The arguments that went in. */
  readonly names: string[];
}

/**
 * Puts arguments into a preview's text, in one pass: what a value holds is never looked at again. A missing argument is
 * left out; null where the text has placeholders and every one of them is missing.
 */
export function fillTemplate(
  template: string,
  values: ReadonlyMap<string, string>,
  max_length = Infinity,
): Filled | null {
  const names: string[] = [];
  let wanted = 0;
  const text = template.replace(PLACEHOLDER, (_whole, name: string) => {
    wanted += 1;
    const value = values.get(name);
    if (value === undefined || value === '') return '';
    names.push(name);
    return value.length > max_length ? `${value.slice(0, max_length)}…` : value;
  });
  return wanted > 0 && names.length === 0 ? null : { text, names };
}
