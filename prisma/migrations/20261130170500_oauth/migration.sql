-- MCP clients, the codes that a person's yes gives them, and the sessions these become (SPEC I2).

ALTER TABLE "sessions" ADD COLUMN "client_id" TEXT, ADD COLUMN "client_name" TEXT;

CREATE TABLE "oauth_clients" (
    "id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "redirect_uris" TEXT[] NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "read_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "oauth_clients_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "oauth_codes" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "client_id" TEXT NOT NULL,
    "client_name" TEXT NOT NULL,
    "redirect_uri" TEXT NOT NULL,
    "code_challenge" TEXT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "signed_in_at" TIMESTAMPTZ(6) NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "used_at" TIMESTAMPTZ(6),
    "session_id" UUID,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oauth_codes_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE INDEX "oauth_clients_expires_at_idx" ON "oauth_clients"("expires_at");

-- Of all tenants: one sign-in gives one code, whichever tenant the person then chooses.
CREATE UNIQUE INDEX "oauth_codes_id_key" ON "oauth_codes"("id");

CREATE INDEX "oauth_codes_expires_at_idx" ON "oauth_codes"("expires_at");

ALTER TABLE "oauth_codes"
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "session_id") REFERENCES "sessions" ("tenant_id", "id") ON DELETE CASCADE;

-- A session of a client is never one where a person says yes.
ALTER TABLE "sessions"
    ADD CHECK (("client_id" IS NULL) = ("client_name" IS NULL)),
    ADD CHECK ("client_id" IS NULL OR NOT "interactive");
ALTER TABLE "oauth_clients" ADD CHECK (cardinality("redirect_uris") BETWEEN 1 AND 10);

ALTER TABLE "oauth_codes" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "oauth_codes" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "oauth_codes"
    USING ("tenant_id" = nullif(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK ("tenant_id" = nullif(current_setting('app.tenant_id', true), '')::uuid);
-- The code that a client brings, before its tenant is known.
CREATE POLICY "lookup" ON "oauth_codes" FOR SELECT
    USING ("id" = nullif(current_setting('app.lookup_id', true), '')::uuid);
CREATE POLICY "sweeper_sees" ON "oauth_codes" FOR SELECT
    USING (current_setting('app.sweeper', true) = 'on' AND "expires_at" < now() - interval '1 day');
CREATE POLICY "sweeper_removes" ON "oauth_codes" FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on' AND "expires_at" < now() - interval '1 day');
-- A code that was used is kept until the sweep, so that its coming again is seen.
CREATE POLICY "sweeper_alone" ON "oauth_codes" AS RESTRICTIVE FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on');

GRANT SELECT, INSERT, UPDATE, DELETE ON "oauth_clients", "oauth_codes" TO "hcp_app";
