import type { SenseEvent } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';

/**
 * What an event says. The product's own messages also say what to type in a terminal; here there is a link for it. A source's
 * stay as they are, and can hide nothing.
 */
export function messageOf({ message, verb_key }: SenseEvent): string {
  if (verb_key !== null) return escapeInvisible(message);
  const sentences = message.split(/(?<=\.) /).filter((sentence) => !sentence.includes('hcpx '));
  return escapeInvisible(sentences.join(' '));
}

/** What to do about it, where the product itself tells of it. */
const NEXT_STEP: Readonly<Record<string, string>> = {
  credential_stale: 'Commands that need it are refused until somebody connects it again.',
  pack_unavailable: 'Its commands are refused until whoever manages packs or this server mends that.',
  approval_waiting: 'Look at the request, then say yes or no.',
  source_paused: 'Nobody looks until it is turned on again, below.',
  source_failed: 'See what its last run said.',
};

export const todoOf = ({ kind, verb_key }: SenseEvent): string | null =>
  verb_key === null ? (NEXT_STEP[kind] ?? null) : null;
