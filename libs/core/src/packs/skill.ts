/**
 * The lead of a SKILL.md: its text up to the first heading after the title (SPEC P9). Front matter is for tools and
 * left out; a `#` within a fenced code block is no heading.
 */
export function skillLead(markdown: string): string {
  const text_only = markdown.startsWith('\ufeff') ? markdown.slice(1) : markdown;
  const lines = withoutFrontMatter(text_only.split(/\r?\n/));
  let fence: string | null = null;
  let titled = false;
  let text = false;
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
      continue;
    }
    const level = headingLevel(line, lines[index + 1]);
    if (level > 0) {
      // A deeper heading after some text is no title: the file has none.
      if (titled || (text && level > 1)) return lines.slice(0, index).join('\n').trim();
      titled = true;
    } else if (line.trim() !== '') {
      text ||= !/^ {0,3}(=+|-+)\s*$/.test(line);
      fence = mark ?? null;
    }
  }
  return lines.join('\n').trim();
}

/** 1 to 6 for `# Heading`, 1 or 2 for a line that the next one underlines, else 0. */
function headingLevel(line: string, next: string | undefined): number {
  const marks = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(line)?.[1];
  if (marks !== undefined) return marks.length;
  if (next === undefined || !/^ {0,3}[^\s>|*+-]/.test(line)) return 0;
  if (/^ {0,3}=+[ \t]*$/.test(next)) return 1;
  return /^ {0,3}-{2,}[ \t]*$/.test(next) ? 2 : 0;
}

function withoutFrontMatter(lines: string[]): string[] {
  if (lines[0]?.trimEnd() !== '---') return lines;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  return end === -1 ? lines : lines.slice(end + 1);
}
