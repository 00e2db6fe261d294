import { PrismaPg } from '@prisma/adapter-pg';
import { Prisma, PrismaClient } from './generated/client.js';
import { statementNames } from './statement-names.js';

/** What a transaction offers: the Prisma delegates of every table, and tagged raw SQL. */
export type Tx = Prisma.TransactionClient;

export interface DatabaseOptions {
  /** Connection string of the application role, which owns nothing and cannot bypass row-level security. */
  readonly url: string;
  /** Connections in the pool; 10 by default. */
  readonly max?: number;
}

export interface TransactionOptions {
  /** Milliseconds the transaction may stay open; 30 s by default. */
  readonly timeout_ms?: number;
  /** `serializable` where a decision depends on rows that nobody has written yet. */
  readonly isolation?: 'read_committed' | 'repeatable_read' | 'serializable';
}

const ISOLATION = {
  read_committed: Prisma.TransactionIsolationLevel.ReadCommitted,
  repeatable_read: Prisma.TransactionIsolationLevel.RepeatableRead,
  serializable: Prisma.TransactionIsolationLevel.Serializable,
} as const;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The settings that the row-level-security policies read; see prisma/migrations. */
const SCOPES = [
  'app.tenant_id',
  'app.lookup_id',
  'app.user_id',
  'app.reaper',
  'app.issuer_key',
  'app.operator',
  'app.sweeper',
  'app.key_keeper',
] as const;
type Scope = (typeof SCOPES)[number];

/**
 * The only way to the data. Each method opens one transaction whose scope the policies enforce, so that a
 * forgotten condition shows no row of another tenant (SPEC O4). The raw client stays in here.
 */
export class Database {
  readonly #client: PrismaClient;

  constructor(options: DatabaseOptions) {
    const pool = { connectionString: options.url, max: options.max ?? 10 };
    const adapter = new PrismaPg(pool, { statementNameGenerator: statementNames() });
    this.#client = new PrismaClient({ adapter, errorFormat: 'minimal' });
  }

  /** Sees and writes the rows of one tenant. */
  async tenant<T>(tenant_id: string, fn: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#scoped('app.tenant_id', uuid('tenant_id', tenant_id), fn, options);
  }

  /**
   * Sees the one API key, refresh token or invitation that has this id, read-only: how a bearer's tenant is found before
   * it is known. Shows nothing else.
   */
  async lookup<T>(id: string, fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#scoped('app.lookup_id', uuid('id', id), fn);
  }

  /** Sees one person's principals and those tenants, read-only: how a sign-in finds where the person belongs. */
  async user<T>(user_id: string, fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#scoped('app.user_id', uuid('user_id', user_id), fn);
  }

  /** Sees the one external issuer with this key (of issuer and audience), read-only: how its tokens find their tenant. */
  async issuer<T>(lookup_key: string, fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#scoped('app.issuer_key', lookup_key, fn);
  }

  /** Sees the rows of `tenants` and nothing that tenants hold, read-only: for platform operators, whom the caller checks. */
  async operator<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#scoped('app.operator', 'on', fn);
  }

  /** Sees only what has no tenant: users and signing keys. */
  async global<T>(fn: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T> {
    return this.#scoped(null, '', fn, options);
  }

  /**
   * Sees the runs of every tenant that have not ended, read-only: how the worker finds lost leases (SPEC R2).
   * What it then does to one of them goes through `tenant`.
   */
  async reaper<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#scoped('app.reaper', 'on', fn);
  }

  /**
   * Sees and removes the rows of every tenant that are over (sessions, refresh tokens, idempotency keys, invitations), as
   * the policies say; sees runs and approvals that have ended, whose values
   * are then erased through `tenant`.
   */
  async sweeper<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#scoped('app.sweeper', 'on', fn);
  }

  /**
   * Sees the wrapped data keys of every tenant, read-only: how they are found that a root key wraps (SPEC B3). What it
   * then does to one of them goes through `tenant`.
   */
  async keyKeeper<T>(fn: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#scoped('app.key_keeper', 'on', fn);
  }

  /** Waits for the pool's connections to end. */
  async close(): Promise<void> {
    await this.#client.$disconnect();
  }

  async #scoped<T>(
    scope: Scope | null,
    value: string,
    fn: (tx: Tx) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.#client.$transaction(
      async (tx) => {
        // Local to the transaction: a pooled connection comes back without any scope.
        if (scope !== null) await tx.$queryRaw`SELECT set_config(${scope}, ${value}, true)`;
        return fn(tx);
      },
      {
        timeout: options.timeout_ms ?? 30_000,
        maxWait: 10_000,
        ...(options.isolation && { isolationLevel: ISOLATION[options.isolation] }),
      },
    );
  }
}

/**
 * Goes on with the transaction in another scope, and leaves the one it had: where one act writes in several tenants, or
 * in one of them and in what has no tenant, it does all of that or nothing.
 */
export async function enterScope(
  tx: Tx,
  to: { readonly tenant_id: string } | { readonly user_id: string },
): Promise<void> {
  const [entered, id]: [Scope, string] =
    'tenant_id' in to
      ? ['app.tenant_id', uuid('tenant_id', to.tenant_id)]
      : ['app.user_id', uuid('user_id', to.user_id)];
  for (const scope of SCOPES) {
    await tx.$queryRaw`SELECT set_config(${scope}, ${scope === entered ? id : ''}, true)`;
  }
}

/** An id that is no UUID would make the policies fail late, in the middle of a query. */
function uuid(name: string, value: string): string {
  if (!UUID.test(value)) throw new TypeError(`${name} must be a UUID`);
  return value;
}
