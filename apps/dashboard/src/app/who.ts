import { escapeInvisible } from '@hcp/core';
import { shortId } from './format.js';
import { useMe } from './session.js';

/** Names a principal as the API's answers do: its id, and its name beside it (null where it is gone). */
export type Who = (id: string, name: string | null, kind?: string | null) => string;

/** What a principal is called on a page; `you` for whom one is. */
export function useWho(): Who {
  const me = useMe();
  return (id, name, kind) => (id === me.principal.id ? 'you' : nameOr(name, id, kind));
}

/** One without a name is told by what it is and the end of its id. */
export function nameOr(name: string | null | undefined, id: string, kind?: string | null): string {
  if (name !== null && name !== undefined) return escapeInvisible(name);
  const what = kind === 'agent' ? 'agent' : kind === 'service' ? 'service' : kind === 'human' ? 'person' : 'principal';
  return `${what} …${shortId(id)}`;
}
