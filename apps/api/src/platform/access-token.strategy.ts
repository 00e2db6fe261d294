import { randomUUID } from 'node:crypto';
import { AccessTokens, verifyAccessToken, type AccessClaims, type VerifyOptions } from '@hcp/tenancy';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { CryptoKey } from 'jose';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';

type Verifier = (
  token: string,
  key: CryptoKey,
  options: VerifyOptions,
  done: (error: Error | null, claims?: AccessClaims) => void,
) => void;

// passport-jwt verifies by jsonwebtoken, which knows no EdDSA; jose does, with the algorithms fixed by us. The verifier
// keeps no state, so that it does not matter that passport-jwt has one for the whole process.
(Strategy as unknown as { JwtVerifier: Verifier }).JwtVerifier = (token, key, options, done) => {
  verifyAccessToken(token, key, options).then(
    (claims) => (claims ? done(null, claims) : done(new Error('the token is not valid'))),
    (error: unknown) => done(error as Error),
  );
};

/** Passport's strategy for our own access tokens: what it hands on are verified claims, not yet a caller (SPEC T5). */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy) {
  // Declared, not initialised: passport-jwt's constructor sets it and the registration below renames it.
  declare name: string;

  constructor(tokens: AccessTokens) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKeyProvider: (_request: unknown, token: string, done: (error: unknown, key?: string) => void) => {
        tokens.keyFor(token).then(
          // The types know only PEM text; the verifier above is the only reader.
          (key) => (key ? done(null, key as unknown as string) : done(new Error('no key of ours signed this'))),
          (error: unknown) => done(error),
        );
      },
      issuer: tokens.options.issuer,
      audience: tokens.options.audience,
      algorithms: [...tokens.options.algorithms] as never,
    });
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

  validate(claims: AccessClaims): AccessClaims {
    return claims;
  }
}
