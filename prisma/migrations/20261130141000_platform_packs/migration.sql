-- Packs of the platform (SPEC P7): published in the platform tenant, readable by every tenant, and with a pack_id that no
-- tenant's own pack can have.

CREATE TABLE "pack_ids" (
    "pack_id" TEXT NOT NULL,
    "platform" BOOLEAN NOT NULL,

    CONSTRAINT "pack_ids_pkey" PRIMARY KEY ("pack_id")
);
CREATE UNIQUE INDEX "pack_ids_pack_id_platform_key" ON "pack_ids"("pack_id", "platform");
CREATE UNIQUE INDEX "tenants_id_platform_key" ON "tenants"("id", "platform");

ALTER TABLE "pack_versions" ADD COLUMN "platform" BOOLEAN NOT NULL DEFAULT false;
CREATE UNIQUE INDEX "pack_versions_tenant_id_platform_id_key" ON "pack_versions"("tenant_id", "platform", "id");

ALTER TABLE "pack_activations"
    ADD COLUMN "version_tenant_id" UUID,
    ADD COLUMN "platform" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "runs"
    ADD COLUMN "pack_tenant_id" UUID,
    ADD COLUMN "pack_platform" BOOLEAN NOT NULL DEFAULT false;
CREATE INDEX "runs_pack_version_id_idx" ON "runs"("pack_version_id");

CREATE TABLE "pack_activation_log" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "pack_id" TEXT NOT NULL,
    "project_id" UUID,
    "version_id" UUID NOT NULL,
    "version" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "activated_by" UUID NOT NULL,
    "activated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pack_activation_log_pkey" PRIMARY KEY ("tenant_id","id")
);
CREATE INDEX "pack_activation_log_tenant_id_pack_id_project_id_id_idx"
    ON "pack_activation_log"("tenant_id", "pack_id", "project_id", "id" DESC);

-- What is there already. The owner is bound by row-level security too, so for these statements it is not.
ALTER TABLE "tenants" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "pack_versions" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "pack_activations" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "runs" NO FORCE ROW LEVEL SECURITY;
UPDATE "pack_versions" AS "v" SET "platform" = true
    FROM "tenants" AS "t" WHERE "t"."id" = "v"."tenant_id" AND "t"."platform";
INSERT INTO "pack_ids" ("pack_id", "platform") SELECT DISTINCT "pack_id", "platform" FROM "pack_versions";
UPDATE "pack_activations" AS "a" SET "version_tenant_id" = "a"."tenant_id", "platform" = "v"."platform"
    FROM "pack_versions" AS "v" WHERE "v"."tenant_id" = "a"."tenant_id" AND "v"."id" = "a"."version_id";
UPDATE "runs" AS "r" SET "pack_tenant_id" = "r"."tenant_id", "pack_platform" = "v"."platform"
    FROM "pack_versions" AS "v" WHERE "v"."tenant_id" = "r"."tenant_id" AND "v"."id" = "r"."pack_version_id";
INSERT INTO "pack_activation_log"
    SELECT "a"."tenant_id", "a"."id", "a"."pack_id", "a"."project_id", "a"."version_id", "v"."version", "v"."digest",
        "a"."activated_by", "a"."activated_at"
    FROM "pack_activations" AS "a"
    JOIN "pack_versions" AS "v" ON "v"."tenant_id" = "a"."tenant_id" AND "v"."id" = "a"."version_id";
ALTER TABLE "tenants" FORCE ROW LEVEL SECURITY;
ALTER TABLE "pack_versions" FORCE ROW LEVEL SECURITY;
ALTER TABLE "pack_activations" FORCE ROW LEVEL SECURITY;
ALTER TABLE "runs" FORCE ROW LEVEL SECURITY;
ALTER TABLE "pack_activations" ALTER COLUMN "version_tenant_id" SET NOT NULL;

-- `platform` says the truth: a version has it exactly where its tenant has it.
ALTER TABLE "pack_versions"
    ADD FOREIGN KEY ("tenant_id", "platform") REFERENCES "tenants" ("id", "platform"),
    ADD FOREIGN KEY ("pack_id", "platform") REFERENCES "pack_ids" ("pack_id", "platform");

-- An activation and a run point at a version of their own tenant or of the platform, at nothing else.
ALTER TABLE "pack_activations" DROP CONSTRAINT "pack_activations_tenant_id_version_id_fkey";
ALTER TABLE "pack_activations"
    ADD CHECK ("platform" OR "version_tenant_id" = "tenant_id"),
    ADD FOREIGN KEY ("version_tenant_id", "platform", "version_id")
        REFERENCES "pack_versions" ("tenant_id", "platform", "id");
ALTER TABLE "runs" DROP CONSTRAINT "runs_tenant_id_pack_version_id_fkey";
ALTER TABLE "runs"
    ADD CHECK (
        "pack_version_id" IS NULL
        OR ("pack_tenant_id" IS NOT NULL AND ("pack_platform" OR "pack_tenant_id" = "tenant_id"))
    ),
    ADD FOREIGN KEY ("pack_tenant_id", "pack_platform", "pack_version_id")
        REFERENCES "pack_versions" ("tenant_id", "platform", "id") ON DELETE SET NULL ("pack_version_id");
ALTER TABLE "pack_activation_log"
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "activated_by") REFERENCES "principals" ("tenant_id", "id");

-- The first version of a pack takes its pack_id, the last one gives it back. As the owner: the application has no right
-- on pack_ids, which names the packs of all tenants.
CREATE FUNCTION "pack_id_taken"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO "pack_ids" ("pack_id", "platform") VALUES (NEW."pack_id", NEW."platform") ON CONFLICT DO NOTHING;
    RETURN NEW;
END $$;
CREATE FUNCTION "pack_id_given_back"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM "pack_ids" WHERE "pack_id" = OLD."pack_id";
    RETURN NULL;
EXCEPTION WHEN foreign_key_violation THEN
    -- Other versions have it.
    RETURN NULL;
END $$;
CREATE TRIGGER "pack_id_taken" BEFORE INSERT ON "pack_versions" FOR EACH ROW EXECUTE FUNCTION "pack_id_taken"();
CREATE TRIGGER "pack_id_given_back" AFTER DELETE ON "pack_versions" FOR EACH ROW EXECUTE FUNCTION "pack_id_given_back"();

-- Nobody removes a version that a run of any tenant still needs. The row is locked by now, so a run that is being
-- accepted at this moment either is seen here or finds no version.
CREATE FUNCTION "pack_version_unused"() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    before text := coalesce(current_setting('app.reaper', true), '');
    used boolean;
BEGIN
    PERFORM set_config('app.reaper', 'on', true);
    used := EXISTS (
        SELECT FROM "runs"
        WHERE "pack_tenant_id" = OLD."tenant_id" AND "pack_version_id" = OLD."id"
          AND "status" IN ('queued', 'starting', 'running')
    );
    PERFORM set_config('app.reaper', before, true);
    IF used THEN
        RAISE EXCEPTION 'the pack version has runs that have not ended' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN OLD;
END $$;
CREATE TRIGGER "pack_version_unused" BEFORE DELETE ON "pack_versions" FOR EACH ROW EXECUTE FUNCTION "pack_version_unused"();

ALTER TABLE "pack_activation_log" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "pack_activation_log" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "pack_activation_log"
    USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

-- A pack of the platform is for every tenant to read: this table alone, and no more of the platform tenant.
CREATE POLICY "platform" ON "pack_versions" FOR SELECT
    USING ("platform" AND nullif(current_setting('app.tenant_id', true), '') IS NOT NULL);

GRANT SELECT, INSERT ON "pack_activation_log" TO "hcp_app";
