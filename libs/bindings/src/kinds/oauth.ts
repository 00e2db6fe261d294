import { fieldsOf, tokensOf } from '../oauth/tokens.js';
import type { KindMint, MintRequest } from './kind.js';

/**
 * A connection by OAuth (SPEC B2) lends its access token, never what new ones are had with. It was renewed before the
 * run was claimed, so that a provider that refuses costs no approval (SPEC V2).
 */
export function mintOauth({ need, chosen, content }: MintRequest): KindMint {
  const { access_token } = tokensOf(content);
  const { token_expires_at: expires_at } = chosen;
  if (expires_at !== null && expires_at <= need.now) {
    return { ok: false, reason: 'the token ran out before the run began', hint: 'send the call again' };
  }
  return { ok: true, fields: fieldsOf(access_token), secrets: [access_token], expires_at };
}
