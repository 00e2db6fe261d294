import type { Webhook } from '@hcp/database';

/** Encrypts with a tenant's data key; `aad` binds the text to its place. */
export interface Sealer {
  seal(plain: Buffer, aad: string): Buffer;
  /** @throws where the text was changed, moved, or belongs to another tenant */
  open(sealed: Buffer, aad: string): Buffer;
}

export type TenantSealer = (tenant_id: string) => Promise<Sealer>;

const place = (id: string): string => `webhook/${id}/secret`;

export const sealSecret = (sealer: Sealer, id: string, secret: string): Buffer<ArrayBuffer> =>
  Buffer.from(sealer.seal(Buffer.from(secret), place(id)));

/** Those that sign now: the present one, and for a while the one before. */
export function signingSecrets(
  sealer: Sealer,
  row: Pick<Webhook, 'id' | 'secret_enc' | 'old_secret_enc' | 'old_secret_until'>,
  now: Date,
): string[] {
  const open = (sealed: Uint8Array) => sealer.open(Buffer.from(sealed), place(row.id)).toString();
  const old = row.old_secret_until && row.old_secret_until > now ? row.old_secret_enc : null;
  return [row.secret_enc, ...(old ? [old] : [])].map(open);
}
