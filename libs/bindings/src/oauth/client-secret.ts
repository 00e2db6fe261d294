import type { ProviderClient } from '@hcp/database';
import type { Sealer, TenantSealer } from '../ports.js';

type Place = Pick<ProviderClient, 'id' | 'secret_version'>;

const aad = ({ id, secret_version }: Place): string => `provider_client/${id}/${String(secret_version)}`;

export const sealClientSecret = (sealer: Sealer, place: Place, secret: string): Buffer<ArrayBuffer> =>
  Buffer.from(sealer.seal(Buffer.from(secret), aad(place)));

/**
 * The client's secret, by the key of whose client it is; null for a public one.
 * @throws where the row was changed behind the application's back
 */
export async function clientSecret(
  sealers: TenantSealer,
  client: Place & Pick<ProviderClient, 'tenant_id' | 'secret_enc'>,
): Promise<string | null> {
  if (client.secret_enc === null) return null;
  const sealer = await sealers(client.tenant_id);
  return sealer.open(Buffer.from(client.secret_enc), aad(client)).toString();
}
