-- What people set about what runs without asking (SPEC A1-A6).
CREATE TABLE "access_settings" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "project_id" UUID,
    "principal_id" UUID,
    "session_id" UUID,
    "api_key_id" UUID,
    "settings" JSONB NOT NULL,
    "updated_by" UUID NOT NULL,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "access_settings_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "access_rules" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "project_id" UUID,
    "principal_id" UUID,
    "session_id" UUID,
    "rule" JSONB NOT NULL,
    "command_text" TEXT,
    "pack_digest" TEXT,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "access_rules_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE INDEX "access_rules_tenant_id_scope_project_id_idx" ON "access_rules"("tenant_id", "scope", "project_id");

-- By hand from here.
ALTER TABLE "access_settings"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "session_id") REFERENCES "sessions" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "api_key_id") REFERENCES "api_keys" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "updated_by") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "access_rules"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "session_id") REFERENCES "sessions" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id");

-- One document for one scope.
CREATE UNIQUE INDEX "access_settings_scope_key" ON "access_settings"
    ("tenant_id", "scope", "project_id", "principal_id", "session_id", "api_key_id") NULLS NOT DISTINCT;

-- A scope names exactly what it is of.
ALTER TABLE "access_settings"
    ADD CHECK ("scope" IN ('tenant', 'project', 'member', 'session', 'api_key')),
    ADD CHECK (("scope" = 'project') = ("project_id" IS NOT NULL)),
    ADD CHECK (("scope" = 'member') = ("principal_id" IS NOT NULL)),
    ADD CHECK (("scope" = 'session') = ("session_id" IS NOT NULL)),
    ADD CHECK (("scope" = 'api_key') = ("api_key_id" IS NOT NULL)),
    ADD CHECK (jsonb_typeof("settings") = 'object');
ALTER TABLE "access_rules"
    ADD CHECK ("scope" IN ('tenant', 'project', 'member', 'session')),
    ADD CHECK (("scope" = 'project') = ("project_id" IS NOT NULL)),
    ADD CHECK (("scope" = 'member') = ("principal_id" IS NOT NULL)),
    ADD CHECK (("scope" = 'session') = ("session_id" IS NOT NULL)),
    ADD CHECK ("rule" ->> 'match' IS NOT NULL AND "rule" ->> 'decision' IN ('allow', 'ask', 'deny'));

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['access_settings', 'access_rules'] LOOP
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

GRANT SELECT, INSERT, UPDATE, DELETE ON "access_settings" TO "hcp_app";
GRANT SELECT, INSERT, DELETE ON "access_rules" TO "hcp_app";
