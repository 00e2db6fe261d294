/** The forms of the command line that a help text shows, one text each. */
export function readUsages(lines: readonly string[]): string[] {
  const start = lines.findIndex((line) => /^ ?(?:usage\b|synopsis$)/i.test(line));
  if (start === -1) return [];
  const forms: string[] = [];
  const first = (lines[start] ?? '').replace(/^ ?(?:usage:?|synopsis)/i, '').trim();
  if (first !== '') forms.push(first);
  for (const line of lines.slice(start + 1)) {
    const text = line.trim();
    if (text === '') {
      // A blank line may stand between the heading and the forms.
      if (forms.length === 0) continue;
      break;
    }
    if (isOptionRow(text)) break;
    // `tool add <file>  add a file`
    const alternative = text.replace(/^or: */i, '').replace(/ {2,}[a-z].*$/, '');
    const program = forms[0]?.split(' ')[0];
    const same = program !== undefined && alternative.split(' ')[0] === program;
    if (!line.startsWith(' ') && forms.length > 0 && !same) break;
    if (forms.length === 0 || same || alternative !== text) forms.push(alternative);
    else forms[forms.length - 1] += ` ${text}`;
  }
  return forms.slice(0, 50);
}

/** A row such as `-f  do it`, which some programs print right below the usage. */
export const isOptionRow = (text: string): boolean => /^-\S.* {2,}\S/.test(text);
