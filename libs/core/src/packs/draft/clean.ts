/** Lines of one help text that are looked at. */
const MAX_LINES = 5_000;
const TAB = 8;

const ESCAPES = /\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\[[0-?]*[ -/]*[@-~]|[@-Z\\-_])/g;

const OVERSTRIKE = /[^\n]\u0008/g;

/** The lines of a help text as a person sees them: without colours, overstrikes and tabs. */
export function cleanLines(text: string): string[] {
  const plain = text.replace(ESCAPES, '').replace(OVERSTRIKE, '').replaceAll('\r', '');
  return plain.split('\n', MAX_LINES).map((line) => expandTabs(line).replace(/\p{C}/gu, '').trimEnd());
}

function expandTabs(line: string): string {
  const [first = '', ...rest] = line.split('\t');
  return rest.reduce((done, part) => done + ' '.repeat(TAB - (done.length % TAB)) + part, first);
}

/** One line of prose for a pack's file: no control characters, no runs of blanks, of bounded length. */
export function prose(text: string, max: number): string {
  const line = text.replace(/\p{C}/gu, ' ').replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max - 1).trimEnd()}…`;
}
