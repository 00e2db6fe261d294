import { rootKeySchema } from '@hcp/contracts';

/**
 * A file of root keys: one in each line, as 64 hex digits or base64; empty lines and lines that begin with # do not
 * count. The first wraps, the others only open.
 * @returns what is wrong with it, instead, without the text of any line
 */
export function parseKeyFile(text: string): [Buffer, ...Buffer[]] | string {
  const keys: Buffer[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const word = line.trim();
    if (word === '' || word.startsWith('#')) continue;
    const parsed = rootKeySchema.safeParse(word);
    if (!parsed.success) return `has no root key in line ${index + 1}: 32 bytes, as 64 hex digits or base64`;
    keys.push(parsed.data);
  }
  const [first, ...others] = keys;
  return first ? [first, ...others] : 'has no root key';
}
