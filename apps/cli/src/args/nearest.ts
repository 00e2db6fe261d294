import { nearest } from '@hcp/core';

/** `did you mean x? ` or nothing, to stand before a hint. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates);
  return near === null ? '' : `Did you mean ${near}? `;
}
