import type { Api } from './auth-harness.js';

export type Signed = Awaited<ReturnType<Api['signedIn']>>;
export interface Ids {
  id: string;
  key: string;
  [field: string]: unknown;
}

/** Short words for calls by someone who is signed in, and a fresh tenant with its people. `api` is asked at each call. */
export function callsOf(api: () => Api) {
  return {
    post: (who: { token: string }, path: string, body: object, headers: Record<string, string> = {}) =>
      api().call<Ids>('POST', path, { token: who.token, body, headers }),
    get: <T = { items: Ids[] }>(who: { token: string }, path: string, replica = 0) =>
      api().call<T>('GET', path, { token: who.token, replica }),
    remove: (who: { token: string }, path: string) => api().call('DELETE', path, { token: who.token }),
    put: (who: { token: string }, path: string) => api().call('PUT', path, { token: who.token }),
    team: async (): Promise<{ tenant_id: string; owner: Signed; admin: Signed; member: Signed; agent: string }> => {
      const tenant_id = await api().tenant();
      return {
        tenant_id,
        owner: await api().signedIn(tenant_id, 'owner'),
        admin: await api().signedIn(tenant_id, 'admin'),
        member: await api().signedIn(tenant_id, 'member'),
        agent: await api().principal(tenant_id, 'agent'),
      };
    },
    actions: async (tenant_id: string) => (await api().audited(tenant_id)).map(({ action }) => action),
  };
}
