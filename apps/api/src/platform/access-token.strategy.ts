import { randomUUID } from 'node:crypto';
import { AccessTokens, ExternalTokens, unverifiedIssuer, type AccessClaims, type ExternalClaims } from '@hcp/tenancy';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import passport from 'passport';
import { Strategy } from 'passport-jwt';

/** Of our own tokens, or of a tenant's identity provider. */
export type Claims = AccessClaims | ExternalClaims;

/** The token that a request came with, from wherever it may come; set by who asks for it to be verified. */
export const bearers = new WeakMap<FastifyRequest, string>();

/** A token that could not be checked at all: it is neither good nor bad. */
export class CannotCheck extends Error {
  override readonly name = 'CannotCheck';
}

/** How to verify one token: null for a bad one. */
type Verification = () => Promise<Claims | null>;
type Done = (error: Error | null, claims?: Claims) => void;
type Verifier = (token: string, verification: Verification, options: unknown, done: Done) => void;

// passport-jwt verifies by jsonwebtoken, which knows no EdDSA; jose does, with the algorithms fixed by us. The verifier
// keeps no state, so that it does not matter that passport-jwt has one for the whole process.
(Strategy as unknown as { JwtVerifier: Verifier }).JwtVerifier = (_token, verification, _options, done) => {
  verification().then(
    (claims) => (claims ? done(null, claims) : done(new Error('the token is not valid'))),
    (cause: unknown) => done(new CannotCheck('the token cannot be checked', { cause })),
  );
};

/**
 * Passport's strategy for our own access tokens and for those of tenants' identity providers: what it hands on are
 * verified claims, not yet a caller (SPEC T5). `iss` decides which of the two looks at a token; either insists on it, and
 * the route decides which audiences of ours are good.
 */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy) {
  // Declared, not initialised: passport-jwt's constructor sets it and the registration below renames it.
  declare name: string;

  constructor(
    private readonly tokens: AccessTokens,
    external: ExternalTokens,
  ) {
    super({
      jwtFromRequest: (request: FastifyRequest) => bearers.get(request) ?? null,
      secretOrKeyProvider: (request: FastifyRequest, token: string, done: (error: unknown, key?: string) => void) => {
        const verification: Verification = () =>
          isExternal(token, tokens)
            ? external.verify(token)
            : tokens.verify(token, tokens.audiencesAt(request.routeOptions.url));
        // The types know only PEM text; the verifier above is the only reader.
        done(null, verification as unknown as string);
      },
    });
  }

  /** Whether the token says that another issuer made it: checking it costs more than one of ours. */
  isExternal(token: string): boolean {
    return isExternal(token, this.tokens);
  }

  /** Called by PassportStrategy (its types leave it out). Passport has one registry: a name of its own keeps servers apart. */
  getPassportInstance(): unknown {
    return {
      use: (strategy: passport.Strategy & { name: string }) => {
        strategy.name = `access-token-${randomUUID()}`;
        passport.use(strategy.name, strategy);
      },
    };
  }

  validate(claims: Claims): Claims {
    return claims;
  }
}

function isExternal(token: string, tokens: AccessTokens): boolean {
  const issuer = unverifiedIssuer(token);
  return issuer !== null && issuer !== tokens.issuer;
}
