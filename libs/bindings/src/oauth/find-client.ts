import type { ProviderClient, Tx } from '@hcp/database';

export type GrantType = 'authorization_code' | 'client_credentials';

/**
 * The client through which packs of a provider connect in a tenant: its own, else the platform's. The platform's own
 * account (`client_credentials`) is no tenant's to use.
 */
export async function findClient(
  tx: Tx,
  tenant_id: string,
  provider: string,
  grant_type: GrantType,
): Promise<ProviderClient | null> {
  const rows = await tx.providerClient.findMany({ where: { provider } });
  const own = rows.find((row) => row.tenant_id === tenant_id);
  const client = own ?? (grant_type === 'authorization_code' ? rows.find((row) => row.platform) : undefined);
  return client?.grant_types.includes(grant_type) ? client : null;
}
