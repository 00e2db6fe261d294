-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "tenants" (
    "id" UUID NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "platform" BOOLEAN NOT NULL DEFAULT false,
    "stopped_at" TIMESTAMPTZ(6),
    "settings_epoch" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "projects" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "disabled_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "principals" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "user_id" UUID,
    "acts_for" UUID,
    "disabled_at" TIMESTAMPTZ(6),
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "principals_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "project_members" (
    "tenant_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "project_members_pkey" PRIMARY KEY ("tenant_id","project_id","principal_id")
);

-- CreateTable
CREATE TABLE "roles" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "grants" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "roles_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "role_assignments" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "role" TEXT NOT NULL,
    "project_id" UUID,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "role_assignments_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "grants" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "capability" TEXT NOT NULL,
    "pack_id" TEXT,
    "verb_keys" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "project_id" UUID,
    "expires_at" TIMESTAMPTZ(6),
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "grants_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "project_id" UUID,
    "grants" JSONB,
    "expires_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "interactive" BOOLEAN NOT NULL,
    "api_key_id" UUID,
    "parent_id" UUID,
    "project_id" UUID,
    "packs" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "narrows_packs" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "revoked_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "refresh_tokens" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(6),
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "refresh_tokens_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "signing_keys" (
    "kid" TEXT NOT NULL,
    "alg" TEXT NOT NULL,
    "public_jwk" JSONB NOT NULL,
    "private_enc" BYTEA NOT NULL,
    "retired_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "signing_keys_pkey" PRIMARY KEY ("kid")
);

-- CreateTable
CREATE TABLE "tenant_keys" (
    "tenant_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "wrapped" BYTEA NOT NULL,
    "root_key_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenant_keys_pkey" PRIMARY KEY ("tenant_id","version")
);

-- CreateTable
CREATE TABLE "pack_versions" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "pack_id" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "manifest" JSON NOT NULL,
    "surface" JSON NOT NULL,
    "policy" JSON NOT NULL,
    "skill" TEXT,
    "archive" BYTEA NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pack_versions_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "pack_activations" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "pack_id" TEXT NOT NULL,
    "version_id" UUID NOT NULL,
    "project_id" UUID,
    "activated_by" UUID NOT NULL,
    "activated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pack_activations_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "runs" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "principal_id" UUID NOT NULL,
    "principal_kind" TEXT NOT NULL,
    "acts_for" UUID,
    "session_id" UUID NOT NULL,
    "authority" JSONB NOT NULL,
    "project_id" UUID,
    "pack_id" TEXT NOT NULL,
    "verb_key" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "land" TEXT NOT NULL,
    "family" TEXT NOT NULL,
    "pack_version_id" UUID,
    "pack_version" TEXT NOT NULL,
    "pack_digest" TEXT NOT NULL,
    "settings_epoch" BIGINT NOT NULL,
    "args_enc" BYTEA,
    "args_digest" TEXT NOT NULL,
    "arg_names" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "idempotent" BOOLEAN NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "attempt_id" UUID,
    "lease_until" TIMESTAMPTZ(6),
    "timeout_ms" INTEGER NOT NULL,
    "queue_deadline" TIMESTAMPTZ(6) NOT NULL,
    "cancel_requested_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(6),
    "finished_at" TIMESTAMPTZ(6),
    "duration_ms" INTEGER,
    "ok" BOOLEAN,
    "code" TEXT,
    "exit_code" INTEGER,
    "truncated" BOOLEAN NOT NULL DEFAULT false,
    "outcome_enc" BYTEA,

    CONSTRAINT "runs_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "tenant_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "envelope_hash" TEXT NOT NULL,
    "run_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("tenant_id","principal_id","key")
);

-- CreateTable
CREATE TABLE "workspace_locks" (
    "tenant_id" UUID NOT NULL,
    "workspace" TEXT NOT NULL,
    "run_id" UUID NOT NULL,
    "lease_until" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "workspace_locks_pkey" PRIMARY KEY ("tenant_id","workspace")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "action" TEXT NOT NULL,
    "principal_id" UUID,
    "principal_kind" TEXT,
    "acts_for" UUID,
    "session_id" UUID,
    "project_id" UUID,
    "binding" TEXT,
    "pack_id" TEXT,
    "verb_key" TEXT,
    "operation" TEXT,
    "pack_version" TEXT,
    "land" TEXT,
    "decision" TEXT,
    "code" TEXT,
    "reason" TEXT,
    "mode" TEXT,
    "approved_by" TEXT,
    "run_id" UUID,
    "ran" BOOLEAN,
    "exit_code" INTEGER,
    "duration_ms" INTEGER,
    "arg_names" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "args_digest" TEXT,
    "subject" TEXT,
    "details" JSONB,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "tenants_slug_key" ON "tenants"("slug");

-- CreateIndex
CREATE UNIQUE INDEX "projects_tenant_id_name_key" ON "projects"("tenant_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "principals_user_id_idx" ON "principals"("user_id");

-- CreateIndex
CREATE UNIQUE INDEX "principals_tenant_id_user_id_key" ON "principals"("tenant_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "roles_tenant_id_name_key" ON "roles"("tenant_id", "name");

-- CreateIndex
CREATE INDEX "role_assignments_tenant_id_principal_id_idx" ON "role_assignments"("tenant_id", "principal_id");

-- CreateIndex
CREATE INDEX "grants_tenant_id_principal_id_idx" ON "grants"("tenant_id", "principal_id");

-- CreateIndex
CREATE INDEX "api_keys_tenant_id_principal_id_idx" ON "api_keys"("tenant_id", "principal_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_id_key" ON "api_keys"("id");

-- CreateIndex
CREATE INDEX "sessions_tenant_id_principal_id_idx" ON "sessions"("tenant_id", "principal_id");

-- CreateIndex
CREATE UNIQUE INDEX "refresh_tokens_id_key" ON "refresh_tokens"("id");

-- CreateIndex
CREATE UNIQUE INDEX "pack_versions_tenant_id_pack_id_version_key" ON "pack_versions"("tenant_id", "pack_id", "version");

-- CreateIndex
CREATE INDEX "runs_tenant_id_created_at_id_idx" ON "runs"("tenant_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "runs_status_lease_until_idx" ON "runs"("status", "lease_until");

-- CreateIndex
CREATE UNIQUE INDEX "runs_id_key" ON "runs"("id");

-- CreateIndex
CREATE INDEX "audit_events_tenant_id_seq_idx" ON "audit_events"("tenant_id", "seq" DESC);

-- ---------------------------------------------------------------------------
-- By hand from here: what Prisma's schema cannot say.
-- ---------------------------------------------------------------------------

-- Foreign keys. Those between rows of a tenant carry tenant_id: the checks behind a foreign key bypass row-level
-- security, so a plain (id) key would let a row of one tenant point at another's. audit_events has none: it outlives
-- what it tells of.
ALTER TABLE "projects" ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id");
ALTER TABLE "principals"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("user_id") REFERENCES "users" ("id"),
    ADD FOREIGN KEY ("tenant_id", "acts_for") REFERENCES "principals" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "project_members"
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE;
ALTER TABLE "roles" ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id");
ALTER TABLE "role_assignments"
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "grants"
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "api_keys"
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "sessions"
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "api_key_id") REFERENCES "api_keys" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "parent_id") REFERENCES "sessions" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id");
ALTER TABLE "refresh_tokens"
    ADD FOREIGN KEY ("tenant_id", "session_id") REFERENCES "sessions" ("tenant_id", "id") ON DELETE CASCADE;
ALTER TABLE "tenant_keys" ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id");
ALTER TABLE "pack_versions"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "pack_activations"
    ADD FOREIGN KEY ("tenant_id", "version_id") REFERENCES "pack_versions" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "activated_by") REFERENCES "principals" ("tenant_id", "id");
-- A run names its version and digest in words too, so that a version may go after its runs have ended.
ALTER TABLE "runs"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "acts_for") REFERENCES "principals" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "pack_version_id") REFERENCES "pack_versions" ("tenant_id", "id")
        ON DELETE SET NULL ("pack_version_id");
-- Deferred: the key is taken before the run's row is written.
ALTER TABLE "idempotency_keys"
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "run_id") REFERENCES "runs" ("tenant_id", "id") ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "workspace_locks"
    ADD FOREIGN KEY ("tenant_id", "run_id") REFERENCES "runs" ("tenant_id", "id") ON DELETE CASCADE
        DEFERRABLE INITIALLY DEFERRED;

-- One activation per pack in the tenant, and one per pack in a project.
CREATE UNIQUE INDEX "pack_activations_scope_key" ON "pack_activations" ("tenant_id", "pack_id", "project_id")
    NULLS NOT DISTINCT;

-- The words that text columns may hold.
ALTER TABLE "users" ADD CHECK ("email" = lower("email") AND "email" <> '');
ALTER TABLE "principals"
    ADD CHECK ("kind" IN ('human', 'agent', 'service')),
    ADD CHECK ("kind" = 'human' OR "user_id" IS NULL),
    ADD CHECK ("kind" <> 'human' OR "acts_for" IS NULL);
ALTER TABLE "sessions" ADD CHECK ("kind" IN ('default', 'explicit'));
ALTER TABLE "signing_keys" ADD CHECK ("alg" IN ('RS256', 'ES256', 'EdDSA'));
ALTER TABLE "pack_versions"
    ADD CHECK ("digest" ~ '^sha256:[0-9a-f]{64}$'),
    ADD CHECK ("pack_id" ~ '^[a-z][a-z0-9-]{1,62}$');
ALTER TABLE "runs"
    ADD CHECK (
        "status" IN ('queued', 'starting', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'unknown')
    ),
    ADD CHECK ("principal_kind" IN ('human', 'agent', 'service')),
    ADD CHECK ("operation" IN ('read', 'write', 'connect')),
    ADD CHECK ("land" IN ('personal', 'brain', 'local', 'public')),
    ADD CHECK ("family" IN ('user', 'local', 'mothership', 'public', 'mock')),
    ADD CHECK ("attempts" >= 0),
    ADD CHECK ("timeout_ms" > 0);
ALTER TABLE "audit_events"
    ADD CHECK ("action" <> ''),
    ADD CHECK ("principal_kind" IN ('human', 'agent', 'service')),
    ADD CHECK ("operation" IN ('read', 'write', 'connect')),
    ADD CHECK ("land" IN ('personal', 'brain', 'local', 'public')),
    ADD CHECK ("decision" IN ('allow', 'ask', 'deny')),
    ADD CHECK ("approved_by" IN ('agent', 'human', 'rule', 'mode', 'policy'));

-- Row-level security. FORCE: the owner is bound too. A setting that is unset or empty is null here, and null equals
-- nothing, so no scope means no rows. Each setting is local to its transaction.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'projects', 'principals', 'project_members', 'roles', 'role_assignments', 'grants', 'api_keys', 'sessions',
        'refresh_tokens', 'tenant_keys', 'pack_versions', 'pack_activations', 'runs', 'idempotency_keys',
        'workspace_locks', 'audit_events'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format(
            'CREATE POLICY tenant ON %I'
            ' USING (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)'
            ' WITH CHECK (tenant_id = nullif(current_setting(''app.tenant_id'', true), '''')::uuid)',
            name
        );
    END LOOP;
END $$;

ALTER TABLE "tenants" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "tenants" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "tenants"
    USING ("id" = nullif(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK ("id" = nullif(current_setting('app.tenant_id', true), '')::uuid);

-- The narrow ways in before the tenant is known, each for reading only.
-- A bearer's row, by the id that the bearer names.
CREATE POLICY "lookup" ON "api_keys" FOR SELECT
    USING ("id" = nullif(current_setting('app.lookup_id', true), '')::uuid);
CREATE POLICY "lookup" ON "refresh_tokens" FOR SELECT
    USING ("id" = nullif(current_setting('app.lookup_id', true), '')::uuid);
-- Where a person who gave the right password belongs.
CREATE POLICY "own" ON "principals" FOR SELECT
    USING ("user_id" = nullif(current_setting('app.user_id', true), '')::uuid);
CREATE POLICY "own" ON "tenants" FOR SELECT
    USING (
        EXISTS (
            SELECT FROM "principals" AS "p"
            WHERE "p"."tenant_id" = "tenants"."id"
              AND "p"."user_id" = nullif(current_setting('app.user_id', true), '')::uuid
        )
    );
-- Runs that have not ended, for the search for lost leases and passed deadlines.
CREATE POLICY "reaper" ON "runs" FOR SELECT
    USING (current_setting('app.reaper', true) = 'on' AND "status" IN ('queued', 'starting', 'running'));

-- What the application may do. It owns nothing.
REVOKE ALL ON SCHEMA "public" FROM PUBLIC;
GRANT USAGE ON SCHEMA "public" TO "hcp_app";
GRANT SELECT, INSERT, UPDATE ON
    "tenants", "users", "principals", "api_keys", "sessions", "signing_keys", "runs"
    TO "hcp_app";
GRANT SELECT, INSERT, UPDATE, DELETE ON
    "projects", "project_members", "roles", "role_assignments", "grants", "refresh_tokens", "pack_activations",
    "idempotency_keys", "workspace_locks"
    TO "hcp_app";
GRANT SELECT, INSERT ON "tenant_keys" TO "hcp_app";
-- Immutable, but a version that nothing uses may be removed.
GRANT SELECT, INSERT, DELETE ON "pack_versions" TO "hcp_app";
-- Append-only.
GRANT SELECT, INSERT ON "audit_events" TO "hcp_app";
GRANT USAGE ON SEQUENCE "audit_events_seq_seq" TO "hcp_app";
