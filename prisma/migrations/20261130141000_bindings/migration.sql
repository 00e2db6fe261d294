-- Stored credentials of packs (SPEC B1-B4), and which one a run was given.
ALTER TABLE "runs" ADD COLUMN "binding" TEXT;

CREATE TABLE "bindings" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "pack_id" TEXT NOT NULL,
    "family" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "principal_id" UUID,
    "project_id" UUID,
    "field_names" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
    "secret_enc" BYTEA,
    "version" INTEGER NOT NULL DEFAULT 1,
    "expires_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "rotated_by" UUID NOT NULL,
    "rotated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "bindings_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE INDEX "bindings_tenant_id_principal_id_idx" ON "bindings"("tenant_id", "principal_id");

-- By hand from here.
ALTER TABLE "bindings"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "rotated_by") REFERENCES "principals" ("tenant_id", "id");

-- One binding for one scope, a revoked one included: what a run is given is never a matter of luck (SPEC B1).
CREATE UNIQUE INDEX "bindings_scope_key" ON "bindings" ("tenant_id", "pack_id", "family", "principal_id", "project_id")
    NULLS NOT DISTINCT;

ALTER TABLE "bindings"
    ADD CHECK ("pack_id" ~ '^[a-z][a-z0-9-]{1,62}$'),
    ADD CHECK ("family" IN ('user', 'mothership')),
    ADD CHECK ("kind" IN ('secret')),
    ADD CHECK ("family" = 'user' OR "principal_id" IS NULL),
    ADD CHECK ("version" >= 1),
    -- Revoking erases.
    ADD CHECK ("revoked_at" IS NULL OR "secret_enc" IS NULL);

ALTER TABLE "bindings" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "bindings" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "bindings"
    USING ("tenant_id" = nullif(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK ("tenant_id" = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, UPDATE, DELETE ON "bindings" TO "hcp_app";
