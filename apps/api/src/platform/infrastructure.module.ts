import { Global, Inject, Injectable, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { AccessLoader } from '@hcp/access';
import { Database } from '@hcp/database';
import { openKms, type Kms } from '@hcp/kms';
import {
  AccessTokens,
  AuditKey,
  Authenticator,
  checkedGetJson,
  ExternalTokens,
  IssuerKeys,
  Keyring,
  PasswordReset,
  RootKeyCare,
  SignIn,
  SigningKeys,
  type LinkDeps,
} from '@hcp/tenancy';
import { PinoLogger } from 'nestjs-pino';
import { AccessTokenStrategy } from './access-token.strategy.js';
import { BodyRefusals } from './body-refusals.js';
import { BrowserSessions } from './browser-session.js';
import type { Env } from './env.js';
import { openMailer } from './mail.js';
import { OpenStreams } from './open-streams.js';
import { FailureLimits } from './rate-limits.js';
import { Recognizer } from './recognizer.js';
import { Readiness } from './readiness.js';
import { ENV, KMS, LINKS } from './tokens.js';

/** Closes the pool last: Nest calls this after the server stopped and every other module shut down. */
@Injectable()
class DatabaseLifecycle implements OnApplicationShutdown {
  constructor(@Inject(Database) private readonly db: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.db.close();
  }
}

const SHARED = [
  Database,
  AccessLoader,
  Keyring,
  RootKeyCare,
  SigningKeys,
  AuditKey,
  AccessTokens,
  Authenticator,
  SignIn,
  PasswordReset,
  IssuerKeys,
  ExternalTokens,
  FailureLimits,
  BodyRefusals,
  BrowserSessions,
  OpenStreams,
  Readiness,
  Recognizer,
];

/** What every feature may inject by class: built here once, from the environment, and nowhere else. */
@Global()
@Module({})
export class InfrastructureModule {
  static with(env: Env): DynamicModule {
    return {
      module: InfrastructureModule,
      providers: [
        { provide: ENV, useValue: env },
        { provide: Database, useFactory: () => new Database({ url: env.DATABASE_URL, max: env.DATABASE_POOL }) },
        { provide: AccessLoader, useFactory: () => new AccessLoader(env.HCP_PLATFORM_ACCESS ?? null) },
        { provide: KMS, useFactory: () => openKms(env) },
        {
          provide: Keyring,
          useFactory: (kms: Kms, db: Database) => new Keyring(kms, db, { cache_ms: env.HCP_KEY_CACHE_MS }),
          inject: [KMS, Database],
        },
        {
          provide: RootKeyCare,
          useFactory: (kms: Kms, db: Database) => new RootKeyCare(kms, db),
          inject: [KMS, Database],
        },
        {
          provide: SigningKeys,
          useFactory: (db: Database, kms: Kms) => new SigningKeys(db, kms),
          inject: [Database, KMS],
        },
        {
          provide: AuditKey,
          useFactory: (db: Database, kms: Kms) => new AuditKey(db, kms, env.PUBLIC_URL),
          inject: [Database, KMS],
        },
        {
          provide: AccessTokens,
          useFactory: (keys: SigningKeys) => new AccessTokens(keys, env.PUBLIC_URL),
          inject: [SigningKeys],
        },
        {
          provide: Authenticator,
          useFactory: (db: Database, tokens: AccessTokens) => new Authenticator(db, tokens),
          inject: [Database, AccessTokens],
        },
        {
          provide: SignIn,
          useFactory: (db: Database, tokens: AccessTokens) => new SignIn(db, tokens),
          inject: [Database, AccessTokens],
        },
        { provide: LINKS, useFactory: (): LinkDeps => ({ mailer: openMailer(env), public_url: env.PUBLIC_URL }) },
        {
          provide: PasswordReset,
          useFactory: (db: Database, links: LinkDeps, log: PinoLogger) =>
            new PasswordReset(db, links, (error) => log.error({ err: error }, 'a mail could not be sent')),
          inject: [Database, LINKS, PinoLogger],
        },
        {
          provide: IssuerKeys,
          useFactory: () => new IssuerKeys(checkedGetJson({ allow_private: env.HCP_EGRESS_ALLOW_PRIVATE })),
        },
        {
          provide: ExternalTokens,
          useFactory: (db: Database, keys: IssuerKeys) => new ExternalTokens(db, keys),
          inject: [Database, IssuerKeys],
        },
        { provide: FailureLimits, useFactory: () => new FailureLimits() },
        { provide: BrowserSessions, useFactory: () => new BrowserSessions(env.PUBLIC_URL) },
        { provide: OpenStreams, useFactory: () => new OpenStreams() },
        BodyRefusals,
        Readiness,
        AccessTokenStrategy,
        Recognizer,
        DatabaseLifecycle,
      ],
      exports: [ENV, LINKS, AccessTokenStrategy, ...SHARED],
    };
  }
}
