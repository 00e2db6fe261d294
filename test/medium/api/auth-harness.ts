import { randomBytes, randomUUID } from 'node:crypto';
import { createApp, readEnv } from '@hcp/api';
import type { PrincipalKind } from '@hcp/core';
import { hashPassword, mintSecret } from '@hcp/tenancy';
import { assignRole, createTestDatabase, makeTenant, makeUser, type TestDatabase } from '@hcp/testing';
import { call, type Answer, type CallOptions } from '../../support/http.js';

/** One `PUBLIC_URL` for all replicas: it is the issuer of their tokens. */
export const ISSUER = 'http://127.0.0.1:3000';

export type App = Awaited<ReturnType<typeof createApp>>;

export interface Person {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly password: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly tenant_id: string;
}

/** The API in this process, one or more replicas of it, on a database of its own. */
export class Api {
  private constructor(
    readonly database: TestDatabase,
    readonly root_key: Buffer,
    readonly apps: readonly App[],
    readonly urls: readonly string[],
  ) {}

  /** @param env further variables of every replica */
  static async start(replicas = 1, env: Record<string, string> = {}): Promise<Api> {
    const database = await createTestDatabase();
    const root_key = randomBytes(32);
    const apps: App[] = [];
    const urls: string[] = [];
    for (let i = 0; i < replicas; i++) {
      const app = await createApp(
        readEnv({
          NODE_ENV: 'test',
          PORT: '0',
          PUBLIC_URL: ISSUER,
          DATABASE_URL: database.app_url,
          QUEUE_DATABASE_URL: database.queue_url,
          HCP_ROOT_KEY: root_key.toString('hex'),
          LOG_LEVEL: 'silent',
          // The API alone, whether or not a dashboard was built.
          HCP_DASHBOARD_DIR: '/nonexistent',
          ...env,
        }),
      );
      await app.listen(0, '127.0.0.1');
      apps.push(app);
      urls.push(await app.getUrl());
    }
    return new Api(database, root_key, apps, urls);
  }

  async stop(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.close()));
    await this.database.close();
  }

  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    options: CallOptions & { replica?: number } = {},
  ): Promise<Answer<T>> {
    const { replica = 0, ...rest } = options;
    return call<T>(this.urls[replica] ?? '', method, path, rest);
  }

  async tenant(fields: Parameters<typeof makeTenant>[1] = {}): Promise<string> {
    return (await makeTenant(this.database.db, fields)).id;
  }

  /** A human who can sign in; `user` makes the same person a member of another tenant. */
  async person(tenant_id: string, role?: string, user?: Person): Promise<Person> {
    const password = user?.password ?? randomUUID();
    const row = user
      ? { id: user.user_id, email: user.email }
      : await makeUser(this.database.db, { password_hash: await hashPassword(password) });
    const id = await this.principal(tenant_id, 'human', { user_id: row.id });
    if (role !== undefined) await assignRole(this.database.db, tenant_id, id, role);
    return { id, user_id: row.id, email: row.email, password };
  }

  async principal(
    tenant_id: string,
    kind: PrincipalKind,
    fields: { user_id?: string; acts_for?: string; name?: string } = {},
  ): Promise<string> {
    const id = randomUUID();
    await this.database.db.tenant(tenant_id, (tx) =>
      tx.principal.create({ data: { tenant_id, id, kind, name: `${kind} of a test`, ...fields } }),
    );
    return id;
  }

  /** A key, written directly. */
  async key(
    tenant_id: string,
    principal_id: string,
    fields: { project_id?: string; grants?: object[]; expires_at?: Date } = {},
  ): Promise<{ id: string; key: string }> {
    const id = randomUUID();
    const { token, secret_hash } = mintSecret('hcp', id);
    await this.database.db.tenant(tenant_id, (tx) =>
      tx.apiKey.create({ data: { tenant_id, id, principal_id, name: 'test', secret_hash, ...fields } }),
    );
    return { id, key: token };
  }

  async signIn(person: Person, tenant_id?: string): Promise<Tokens> {
    const body = { email: person.email, password: person.password, tenant_id };
    const answer = await this.call<Tokens & Record<string, unknown>>('POST', '/v1/auth/token', { body });
    if (answer.status !== 200) throw new Error(`sign-in: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** A tenant's new human with this role, signed in. */
  async signedIn(tenant_id: string, role?: string): Promise<Person & { readonly token: string }> {
    const person = await this.person(tenant_id, role);
    return { ...person, token: (await this.signIn(person)).access_token };
  }

  /** Actions in the tenant's audit, oldest first. */
  async audited(
    tenant_id: string,
  ): Promise<{ action: string; decision: string | null; principal_id: string | null }[]> {
    return this.database.db.tenant(tenant_id, (tx) =>
      tx.auditEvent.findMany({
        where: { tenant_id },
        orderBy: { seq: 'asc' },
        select: { action: true, decision: true, principal_id: true },
      }),
    );
  }

  async epoch(tenant_id: string): Promise<bigint> {
    const tenant = await this.database.db.tenant(tenant_id, (tx) =>
      tx.tenant.findUniqueOrThrow({ where: { id: tenant_id } }),
    );
    return tenant.settings_epoch;
  }
}
