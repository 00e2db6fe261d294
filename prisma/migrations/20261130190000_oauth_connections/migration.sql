-- Connections by OAuth (SPEC B2, B5, B6): clients of services, people on the way to them, and tokens that are refreshed.
ALTER TABLE "bindings"
    ADD COLUMN "account" TEXT,
    ADD COLUMN "account_name" TEXT,
    ADD COLUMN "scopes" TEXT[] DEFAULT ARRAY[]::TEXT[],
    ADD COLUMN "provider_client_tenant_id" UUID,
    ADD COLUMN "provider_client_platform" BOOLEAN,
    ADD COLUMN "provider_client_id" UUID,
    ADD COLUMN "token_version" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "token_obtained_at" TIMESTAMPTZ(6),
    ADD COLUMN "token_expires_at" TIMESTAMPTZ(6),
    ADD COLUMN "refreshable" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "refresh_by" UUID,
    ADD COLUMN "refresh_until" TIMESTAMPTZ(6),
    ADD COLUMN "stale_at" TIMESTAMPTZ(6),
    ADD COLUMN "stale_reason" TEXT;

CREATE TABLE "provider_clients" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "platform" BOOLEAN NOT NULL,
    "provider" TEXT NOT NULL,
    "issuer" TEXT,
    "discovery" BOOLEAN NOT NULL,
    "authorization_endpoint" TEXT,
    "token_endpoint" TEXT,
    "revocation_endpoint" TEXT,
    "userinfo_endpoint" TEXT,
    "client_id" TEXT NOT NULL,
    "secret_enc" BYTEA,
    "secret_version" INTEGER NOT NULL DEFAULT 1,
    "token_endpoint_auth_method" TEXT NOT NULL,
    "scopes" TEXT[],
    "grant_types" TEXT[],
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "provider_clients_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "connections" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "pack_id" TEXT NOT NULL,
    "family" TEXT NOT NULL,
    "project_id" UUID,
    "shared" BOOLEAN NOT NULL,
    "provider" TEXT NOT NULL,
    "provider_client_tenant_id" UUID NOT NULL,
    "provider_client_platform" BOOLEAN NOT NULL,
    "provider_client_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "reason" TEXT,
    "ticket_hash" TEXT NOT NULL,
    "state_hash" TEXT,
    "browser_hash" TEXT,
    "sealed" BYTEA,
    "binding_id" UUID,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "ended_at" TIMESTAMPTZ(6),

    CONSTRAINT "connections_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE INDEX "bindings_provider_client_tenant_id_provider_client_id_idx" ON "bindings"("provider_client_tenant_id", "provider_client_id");
CREATE INDEX "bindings_expires_at_idx" ON "bindings"("expires_at");
CREATE UNIQUE INDEX "provider_clients_tenant_id_provider_key" ON "provider_clients"("tenant_id", "provider");
CREATE UNIQUE INDEX "provider_clients_tenant_id_platform_id_key" ON "provider_clients"("tenant_id", "platform", "id");
CREATE INDEX "connections_tenant_id_principal_id_idx" ON "connections"("tenant_id", "principal_id");
CREATE INDEX "connections_expires_at_idx" ON "connections"("expires_at");

-- By hand from here.
ALTER TABLE "provider_clients"
    ADD FOREIGN KEY ("tenant_id", "platform") REFERENCES "tenants" ("id", "platform"),
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id"),
    ADD CHECK ("token_endpoint_auth_method" IN ('client_secret_basic', 'client_secret_post', 'none')),
    ADD CHECK (("token_endpoint_auth_method" = 'none') = ("secret_enc" IS NULL)),
    ADD CHECK ("grant_types" <@ ARRAY['authorization_code', 'client_credentials'] AND cardinality("grant_types") > 0),
    ADD CHECK (CASE WHEN "discovery" THEN "issuer" IS NOT NULL AND "token_endpoint" IS NULL
        ELSE "token_endpoint" IS NOT NULL END),
    ADD CHECK ("secret_version" >= 1);

ALTER TABLE "connections"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("provider_client_tenant_id", "provider_client_platform", "provider_client_id")
        REFERENCES "provider_clients" ("tenant_id", "platform", "id") ON DELETE CASCADE,
    ADD CHECK ("provider_client_tenant_id" = "tenant_id" OR "provider_client_platform"),
    ADD CHECK ("status" IN ('pending', 'started', 'exchanging', 'connected', 'failed')),
    ADD CHECK ("family" IN ('user', 'mothership')),
    ADD CHECK ("status" <> 'started' OR ("state_hash" IS NOT NULL AND "browser_hash" IS NOT NULL AND "sealed" IS NOT NULL)),
    -- What was used is gone.
    ADD CHECK ("status" IN ('pending', 'started') OR "sealed" IS NULL),
    ADD CHECK (("status" IN ('connected', 'failed')) = ("ended_at" IS NOT NULL));

-- A client that is gone takes the way to new tokens with it; what says so stays (SPEC B6).
ALTER TABLE "bindings"
    ADD FOREIGN KEY ("provider_client_tenant_id", "provider_client_platform", "provider_client_id")
        REFERENCES "provider_clients" ("tenant_id", "platform", "id") ON DELETE SET NULL,
    ADD CHECK ("provider_client_tenant_id" = "tenant_id" OR coalesce("provider_client_platform", true)),
    ADD CHECK (num_nonnulls("provider_client_tenant_id", "provider_client_platform", "provider_client_id") IN (0, 3)),
    ADD CHECK ("token_version" >= 0),
    ADD CHECK (("refresh_by" IS NULL) = ("refresh_until" IS NULL)),
    ADD CHECK (("stale_at" IS NULL) = ("stale_reason" IS NULL)),
    ADD CHECK ("stale_reason" IN ('expired', 'refused', 'client_refused', 'client_removed'));
ALTER TABLE "bindings" DROP CONSTRAINT "bindings_kind_check";
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_kind_check"
    CHECK ("kind" IN ('secret', 'workload_token', 'oauth2_code', 'oauth2_client_credentials'));

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['provider_clients', 'connections'] LOOP
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
-- The platform's clients are there for every tenant: these rows alone, their secrets sealed with the platform's key.
CREATE POLICY "platform" ON "provider_clients" FOR SELECT
    USING ("platform" AND nullif(current_setting('app.tenant_id', true), '') IS NOT NULL);
-- A browser names its connection before anybody knows the tenant.
CREATE POLICY "lookup" ON "connections" FOR SELECT
    USING ("id" = nullif(current_setting('app.lookup_id', true), '')::uuid);
CREATE POLICY "sweeper_sees" ON "connections" FOR SELECT
    USING (current_setting('app.sweeper', true) = 'on' AND "expires_at" < now() - interval '1 day');
CREATE POLICY "sweeper_removes" ON "connections" FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on' AND "expires_at" < now() - interval '1 day');
-- What ran out and nobody was told of yet.
CREATE POLICY "reaper" ON "bindings" FOR SELECT
    USING (
        current_setting('app.reaper', true) = 'on'
        AND "expires_at" <= now() AND "stale_at" IS NULL AND "revoked_at" IS NULL
    );

GRANT SELECT, INSERT, UPDATE, DELETE ON "provider_clients" TO "hcp_app";
GRANT SELECT, INSERT, UPDATE, DELETE ON "connections" TO "hcp_app";
