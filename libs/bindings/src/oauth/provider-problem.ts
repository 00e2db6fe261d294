import type { CreateProviderClient } from '@hcp/contracts';
import { parseTarget, resolveChecked } from '@hcp/egress';
import { refuse, wrongField, type BindingRefusal } from '../refusal.js';
import { providerFailure } from './failure.js';
import { plainAllowed } from './provider-fetch.js';
import type { Providers } from './providers.js';

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint', 'userinfo_endpoint'] as const;

/**
 * What keeps a provider from being used, by field (SPEC S4): each address that we or a browser would go to is checked when
 * it is given, and again for every request.
 */
export async function providerProblem(
  providers: Providers,
  input: CreateProviderClient,
): Promise<BindingRefusal | null> {
  const shape = shapeProblem(input);
  if (shape) return shape;
  for (const name of ENDPOINTS) {
    const address = input[name];
    const why = address === undefined ? null : await addressProblem(providers, address);
    if (why !== null) return wrongField(`/${name}`, why);
  }
  const { issuer } = input;
  if (issuer === undefined) return null;
  const why = await addressProblem(providers, issuer);
  if (why !== null) return wrongField('/issuer', why);
  return input.token_endpoint === undefined ? discoveryProblem(providers, issuer, input) : null;
}

/** By the issuer alone, or by endpoints; an issuer with them is only what `iss` has to be. */
function shapeProblem(input: CreateProviderClient): BindingRefusal | null {
  const given = ENDPOINTS.filter((name) => input[name] !== undefined);
  const grants = input.grant_types ?? ['authorization_code'];
  if (input.issuer === undefined && input.token_endpoint === undefined) {
    return wrongField('/issuer', 'must be given, or token_endpoint');
  }
  if (input.issuer?.includes('/.well-known/') || input.issuer?.includes('?')) {
    return wrongField('/issuer', 'must be the issuer itself, not the address of its document');
  }
  if (input.token_endpoint === undefined && given.length > 0) {
    return wrongField(`/${given[0] ?? ''}`, 'comes from the issuer where token_endpoint is not given');
  }
  if (input.token_endpoint !== undefined && grants.includes('authorization_code') && !input.authorization_endpoint) {
    return wrongField('/authorization_endpoint', 'must be given for authorization_code');
  }
  if (input.issuer === undefined && input.scopes?.includes('openid')) {
    return wrongField('/issuer', 'must be given where the scope openid is asked for');
  }
  return null;
}

async function addressProblem({ egress }: Providers, address: string): Promise<string | null> {
  const target = parseTarget(address, { allow_http: plainAllowed(egress, address) });
  if (!target.ok) return target.code === 'bad_host' ? 'has no proper host' : 'must be a plain https URL';
  const checked = await resolveChecked(target.host, { ...egress, port: target.port });
  if (checked.ok) return null;
  return checked.code === 'unresolvable' ? 'has a host that cannot be found' : 'is not a public address';
}

async function discoveryProblem(
  providers: Providers,
  issuer: string,
  { grant_types = ['authorization_code'] }: CreateProviderClient,
): Promise<BindingRefusal | null> {
  let found;
  try {
    found = await providers.discover(issuer);
  } catch (error) {
    const { kind } = providerFailure(error);
    if (kind === 'unusable') return wrongField('/issuer', 'is not a public address');
    return wrongField('/issuer', 'does not answer with a discovery document that names it');
  }
  const code = grant_types.includes('authorization_code');
  for (const name of ENDPOINTS) {
    const address: unknown = found[name];
    if (address === undefined) {
      const needed = name === 'token_endpoint' || (code && name === 'authorization_endpoint');
      if (needed) return wrongField('/issuer', `has no ${name}`);
      continue;
    }
    const why = typeof address === 'string' ? await addressProblem(providers, address) : 'is no address';
    if (why !== null) return wrongField('/issuer', `has a ${name} that ${why}`);
  }
  const methods = found.code_challenge_methods_supported;
  if (code && methods !== undefined && !methods.includes('S256')) {
    return refuse('invalid_request', 'issuer: does not know PKCE with S256', [
      { path: '/issuer', message: 'does not know PKCE with S256' },
    ]);
  }
  return null;
}
