import type { PackDetail } from '@hcp/contracts';
import { credentialFields, type Pack } from '@hcp/core';
import type { Tx } from '@hcp/database';
import { findClient } from './oauth/find-client.js';
import { OAUTH_FIELDS } from './oauth/tokens.js';
import { WORKLOAD_FIELD } from './kinds/workload-token.js';

type Way = NonNullable<PackDetail['binding']>['ways'][number];

/** How a credential for this pack can be had in a tenant (SPEC B2), by what its fields allow; the way of most ease first. */
export async function bindingWays(tx: Tx, tenant_id: string, pack: Pack): Promise<Way[]> {
  const fields = credentialFields(pack);
  if (fields.length === 0) return [];
  const { provider } = pack.manifest.binding;
  const ways: Way[] = [];
  if (provider !== undefined && fields.every((name) => OAUTH_FIELDS.includes(name))) {
    for (const [kind, grant] of [
      ['oauth2_code', 'authorization_code'],
      ['oauth2_client_credentials', 'client_credentials'],
    ] as const) {
      ways.push({ kind, ready: (await findClient(tx, tenant_id, provider, grant)) !== null });
    }
  }
  ways.push({ kind: 'secret', ready: true });
  if (fields.every((name) => name === WORKLOAD_FIELD)) ways.push({ kind: 'workload_token', ready: true });
  return ways;
}
