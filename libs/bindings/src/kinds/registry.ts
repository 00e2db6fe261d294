import type { CreateBinding, RotateBinding } from '@hcp/contracts';
import type { Pack } from '@hcp/core';
import { refuse, type BindingRefusal } from '../refusal.js';
import type { Accepted, KindMint, MintDeps, MintRequest } from './kind.js';
import { mintOauth } from './oauth.js';
import { acceptSecret, mintSecret } from './secret.js';
import { acceptWorkloadToken, mintWorkloadToken } from './workload-token.js';

/** Checks what a new connection is made of, by its kind (SPEC B2). */
export function acceptNew(pack: Pack, input: CreateBinding): Accepted | BindingRefusal {
  switch (input.kind) {
    case 'secret':
      return acceptSecret(pack, input.fields ?? {});
    case 'workload_token':
      return acceptWorkloadToken(pack, input.audience);
    case 'oauth2_client_credentials':
      return refuse('invalid_request', 'a connection by OAuth is made with tokens of the provider');
  }
}

/** Checks what a connection of this stored kind is given anew. */
export function acceptRotated(pack: Pack, kind: string, input: RotateBinding): Accepted | BindingRefusal {
  switch (kind) {
    case 'secret':
      return acceptSecret(pack, input.fields ?? {});
    case 'oauth2_code':
      return refuse('conflict', `the account is connected anew with \`hcpx connect ${pack.manifest.pack_id}\``);
    default:
      return refuse('conflict', 'a connection of this kind has no fields to replace: revoke it and connect anew');
  }
}

/** What one run is lent, by the stored kind. An unknown one, of a newer release, lends nothing. */
export async function mintByKind(kind: string, deps: MintDeps, request: MintRequest): Promise<KindMint> {
  switch (kind) {
    case 'secret':
      return mintSecret(request);
    case 'workload_token':
      return mintWorkloadToken(deps, request);
    case 'oauth2_code':
    case 'oauth2_client_credentials':
      return mintOauth(request);
    default:
      return { ok: false, reason: 'the connection is of an unknown kind', hint: 'connect it anew' };
  }
}
