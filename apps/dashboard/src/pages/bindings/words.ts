import type { Binding, PackDetail } from '@hcp/contracts';

type Needed = NonNullable<PackDetail['binding']>;

export const KIND: Record<Binding['kind'], string> = {
  secret: 'Secret',
  workload_token: 'Workload token',
  oauth2_code: 'Account by OAuth',
  oauth2_client_credentials: 'Client credentials',
};

const STALE: Record<NonNullable<Binding['stale_reason']>, string> = {
  expired: 'It ran out.',
  refused: 'The provider gives no new token for it.',
  client_refused: 'The provider refuses the OAuth client that it was connected through.',
  client_removed: 'The OAuth client that it was connected through was removed.',
};

/** Why nothing runs with it; null where something does. */
export function whyNot({ state, stale_reason }: Binding): string | null {
  if (state === 'active') return null;
  if (state === 'revoked')
    return 'Its secret was erased. Commands are refused until it is connected anew or forgotten.';
  return STALE[stale_reason ?? 'expired'];
}

/** Whether a person has to connect it again. */
export const toMend = ({ state }: Binding): boolean => state === 'stale' || state === 'expired';

/** `you`, `everyone`. */
export const whose = ({ principal_id, family }: Binding): string =>
  principal_id !== null ? 'You' : family === 'mothership' ? 'The platform' : 'Everyone';

const PLACE: Record<Needed['uses'][number]['as'], (name: string) => string> = {
  variable: (name) => `the variable ${name}`,
  bearer: () => 'the Authorization header, as a bearer token',
  username: () => 'the user name of HTTP Basic',
  password: () => 'the password of HTTP Basic',
  header: (name) => `the header ${name}`,
  query: (name) => `the query parameter ${name}`,
  cookie: (name) => `the cookie ${name}`,
};

/** Where one field of a credential goes. */
export function goesTo(uses: Needed['uses'], field: string): string {
  const places = uses.filter((use) => use.field === field).map(({ as, name }) => PLACE[as](name ?? ''));
  return places.length === 0
    ? ''
    : `Goes to ${places.slice(0, 3).join(', ')}${places.length > 3 ? ' and others' : ''}.`;
}

/** `api_key`: `Api key`. */
export function fieldLabel(field: string): string {
  const spaced = field.replace(/[_.-]+/g, ' ');
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
