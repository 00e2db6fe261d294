import { escapeInvisible } from '@hcp/core';
import { escapeLines } from '../app/format.js';

/**
 * Text that others wrote: a pack, an agent, another program. What cannot be seen is written as an escape, and letters that
 * run the other way reorder nothing beside it.
 */
export function Foreign({ text }: { text: string }) {
  return <bdi className="hcp-foreign">{escapeInvisible(text)}</bdi>;
}

/** The same of several lines, as a block. */
export function ForeignLines({ text }: { text: string }) {
  return (
    <pre className="hcp-code" dir="auto">
      {escapeLines(text)}
    </pre>
  );
}
