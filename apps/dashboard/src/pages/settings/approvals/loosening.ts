import type { Demands } from '@hcp/core';
import { span } from '../../../app/format.js';
import { DEFAULTS, type Draft } from './draft.js';
import { targetsOf, wordsOf } from './targets.js';

/** What a change makes easier to get past, each in words; empty where it only tightens. */
export function loosenings(before: Draft, after: Draft): string[] {
  const was = { ...DEFAULTS, ...given(before) };
  const is = { ...DEFAULTS, ...given(after) };
  const said: string[] = [];
  if (was.second_person && !is.second_person) said.push('Whoever asked may say yes to it themselves.');
  if (is.approvers < was.approvers)
    said.push(`${people(is.approvers)} instead of ${people(was.approvers)} must say yes.`);
  if (was.reason_required && !is.reason_required) said.push('A decision needs no reason.');
  if (is.pending_ttl_s > was.pending_ttl_s)
    said.push(`A request can be answered for ${span(is.pending_ttl_s)} instead of ${span(was.pending_ttl_s)}.`);
  if (was.approvals === 'human' && is.approvals === 'agent')
    said.push('An agent’s or a service’s own confirm counts as the yes, where only a pack’s policy asks.');
  if (!was.member_access && is.member_access)
    said.push('Members may set modes and rules that let their own calls run.');
  const now = new Map(targetsOf(is.narrower).map(({ key, demands }) => [key, demands]));
  for (const target of targetsOf(was.narrower)) {
    if (weaker(target.demands, now.get(target.key))) said.push(`Less is asked for ${wordsOf(target)}.`);
  }
  return said;
}

const people = (count: number): string => (count === 1 ? 'One person' : `${String(count)} people`);

const given = (draft: Draft): object => Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== null));

function weaker(was: Demands, is: Demands = {}): boolean {
  return (
    (was.second_person === true && is.second_person !== true) ||
    (was.approvers ?? 1) > (is.approvers ?? 1) ||
    (was.reason_required === true && is.reason_required !== true)
  );
}
