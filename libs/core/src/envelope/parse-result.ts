/** A document nested deeper stays text: writing it out again would exhaust the stack. */
const MAX_RESULT_DEPTH = 256;

/**
 * Standard output as exactly one JSON document, else the text itself (SPEC E5). A `__proto__` key is an own key of the
 * answer, as JSON.parse makes it.
 */
export function parseResult(stdout_text: string): unknown {
  if (nestsDeeper(stdout_text, MAX_RESULT_DEPTH)) return stdout_text;
  try {
    return JSON.parse(stdout_text) as unknown;
  } catch {
    return stdout_text;
  }
}

function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (quoted) {
      if (char === '\\') i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '[' || char === '{') {
      if (++depth > limit) return true;
    } else if (char === ']' || char === '}') depth--;
  }
  return false;
}
