-- Which root key wraps a signing key, as for data keys; and changing the root key while everything runs (SPEC B3).
ALTER TABLE "signing_keys" ADD COLUMN "root_key_id" TEXT, ALTER COLUMN "private_enc" DROP NOT NULL;

CREATE INDEX "tenant_keys_root_key_id_idx" ON "tenant_keys"("root_key_id");

-- There was one root key so far, which data keys name. The owner is bound by row-level security too, so for this
-- statement it is not. A key that cannot be told to be of it is retired: the next sign-in makes another.
ALTER TABLE "tenant_keys" NO FORCE ROW LEVEL SECURITY;
UPDATE "signing_keys" SET "root_key_id" = (SELECT "root_key_id" FROM "tenant_keys" ORDER BY "created_at" DESC LIMIT 1);
ALTER TABLE "tenant_keys" FORCE ROW LEVEL SECURITY;
UPDATE "signing_keys" SET "private_enc" = NULL, "retired_at" = coalesce("retired_at", now()) WHERE "root_key_id" IS NULL;

ALTER TABLE "signing_keys"
    ADD CHECK (("private_enc" IS NULL) = ("root_key_id" IS NULL)),
    ADD CHECK ("private_enc" IS NOT NULL OR "retired_at" IS NOT NULL);

-- Who wraps the keys anew finds them with this scope, and writes each in its own tenant's.
CREATE POLICY "key_keeper" ON "tenant_keys" FOR SELECT
    USING (current_setting('app.key_keeper', true) = 'on');
GRANT UPDATE ("wrapped", "root_key_id") ON "tenant_keys" TO "hcp_app";
