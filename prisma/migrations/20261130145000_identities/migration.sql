-- Identity providers of tenants, invitations, password resets, and the kill switch of packs.

ALTER TABLE "users" ADD COLUMN "sessions_valid_from" TIMESTAMPTZ(6);

ALTER TABLE "sessions" ADD COLUMN "issuer_id" UUID, ADD COLUMN "token_hash" BYTEA;

CREATE TABLE "oidc_issuers" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "issuer" TEXT NOT NULL,
    "audience" TEXT NOT NULL,
    "lookup_key" TEXT NOT NULL,
    "algorithms" TEXT[] NOT NULL,
    "subject_claim" TEXT NOT NULL,
    "email_claim" TEXT,
    "kind" TEXT NOT NULL,
    "jit" BOOLEAN NOT NULL,
    "jit_role" TEXT,
    "interactive" BOOLEAN NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oidc_issuers_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "external_identities" (
    "tenant_id" UUID NOT NULL,
    "issuer_id" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "principal_id" UUID NOT NULL,
    "email" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "external_identities_pkey" PRIMARY KEY ("tenant_id","issuer_id","subject")
);

CREATE TABLE "invitations" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "project_id" UUID,
    "secret_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "accepted_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),
    "principal_id" UUID,
    "created_by" UUID,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "invitations_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "password_resets" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "password_resets_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "pack_stops" (
    "tenant_id" UUID NOT NULL,
    "pack_id" TEXT NOT NULL,
    "stopped_by" UUID NOT NULL,
    "stopped_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pack_stops_pkey" PRIMARY KEY ("tenant_id","pack_id")
);

-- Of all tenants: uniqueness is checked past row-level security, so nobody takes a pair that another has.
CREATE UNIQUE INDEX "oidc_issuers_lookup_key_key" ON "oidc_issuers"("lookup_key");

CREATE UNIQUE INDEX "sessions_tenant_id_issuer_id_token_hash_key" ON "sessions"("tenant_id", "issuer_id", "token_hash");

CREATE INDEX "external_identities_tenant_id_principal_id_idx" ON "external_identities"("tenant_id", "principal_id");

CREATE UNIQUE INDEX "invitations_id_key" ON "invitations"("id");

CREATE INDEX "password_resets_user_id_idx" ON "password_resets"("user_id");

ALTER TABLE "oidc_issuers"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "external_identities"
    ADD FOREIGN KEY ("tenant_id", "issuer_id") REFERENCES "oidc_issuers" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE;
ALTER TABLE "sessions"
    ADD FOREIGN KEY ("tenant_id", "issuer_id") REFERENCES "oidc_issuers" ("tenant_id", "id")
        ON DELETE SET NULL ("issuer_id");
ALTER TABLE "invitations"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "password_resets" ADD FOREIGN KEY ("user_id") REFERENCES "users" ("id") ON DELETE CASCADE;
ALTER TABLE "pack_stops"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "stopped_by") REFERENCES "principals" ("tenant_id", "id");

ALTER TABLE "oidc_issuers"
    ADD CHECK ("kind" IN ('human', 'agent', 'service')),
    ADD CHECK ("algorithms" <@ ARRAY['RS256', 'ES256', 'EdDSA']),
    ADD CHECK ("jit_role" IS NULL OR "jit");
ALTER TABLE "invitations" ADD CHECK ("email" = lower("email") AND "email" <> '');

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['oidc_issuers', 'external_identities', 'invitations', 'pack_stops'] LOOP
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

-- The narrow ways in before the tenant is known, each for reading only: the issuer that a token names together with its
-- audience, and the invitation that a link names.
CREATE POLICY "lookup" ON "oidc_issuers" FOR SELECT
    USING ("lookup_key" = nullif(current_setting('app.issuer_key', true), ''));
CREATE POLICY "lookup" ON "invitations" FOR SELECT
    USING ("id" = nullif(current_setting('app.lookup_id', true), '')::uuid);
-- What a platform operator lists: tenants, and nothing that they hold.
CREATE POLICY "operator" ON "tenants" FOR SELECT
    USING (current_setting('app.operator', true) = 'on');

GRANT SELECT, INSERT, UPDATE, DELETE ON "oidc_issuers", "external_identities", "password_resets" TO "hcp_app";
GRANT SELECT, INSERT, UPDATE ON "invitations" TO "hcp_app";
GRANT SELECT, INSERT, DELETE ON "pack_stops" TO "hcp_app";
