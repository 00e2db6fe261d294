-- What people should know of until it is mended, and packs that are looked at for it on schedule (SPEC N1, W8).
CREATE TABLE "sense_events" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "dedupe_key" TEXT NOT NULL,
    "pack_id" TEXT NOT NULL,
    "project_id" UUID,
    "principal_id" UUID,
    "source_id" UUID,
    "source_verb" TEXT,
    "count" INTEGER NOT NULL DEFAULT 1,
    "opened_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "cleared_at" TIMESTAMPTZ(6),

    CONSTRAINT "sense_events_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "sense_sources" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "pack_id" TEXT NOT NULL,
    "project_id" UUID,
    "every_s" INTEGER NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "principal_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "next_at" TIMESTAMPTZ(6) NOT NULL,
    "paused_at" TIMESTAMPTZ(6),
    "paused_reason" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "enabled_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sense_sources_pkey" PRIMARY KEY ("tenant_id","id")
);

ALTER TABLE "runs" ADD COLUMN "sense_source_id" UUID;

CREATE INDEX "sense_events_tenant_id_source_id_idx" ON "sense_events"("tenant_id", "source_id");

-- By hand from here.
CREATE UNIQUE INDEX "sense_events_open_key" ON "sense_events" ("tenant_id", "dedupe_key") WHERE "cleared_at" IS NULL;
CREATE INDEX "sense_events_over_idx" ON "sense_events" ("cleared_at") WHERE "cleared_at" IS NOT NULL;
CREATE UNIQUE INDEX "sense_sources_scope_key" ON "sense_sources" ("tenant_id", "pack_id", "project_id")
    NULLS NOT DISTINCT;
CREATE INDEX "sense_sources_due_idx" ON "sense_sources" ("next_at") WHERE "enabled" AND "paused_at" IS NULL;

CREATE INDEX "runs_looks_idx" ON "runs" ("tenant_id", "sense_source_id")
    WHERE "sense_source_id" IS NOT NULL AND "status" IN ('queued', 'starting', 'running');

-- A session's project is checked where it is used; it is removed a day after its end, and the source stays paused.
ALTER TABLE "sense_sources"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE;
ALTER TABLE "sense_events"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "project_id") REFERENCES "projects" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "source_id") REFERENCES "sense_sources" ("tenant_id", "id") ON DELETE CASCADE;
ALTER TABLE "runs"
    ADD FOREIGN KEY ("tenant_id", "sense_source_id") REFERENCES "sense_sources" ("tenant_id", "id")
        ON DELETE SET NULL ("sense_source_id");

ALTER TABLE "sense_events"
    ADD CHECK ("severity" IN ('info', 'warning', 'error')),
    ADD CHECK ("kind" ~ '^[a-z][a-z0-9_]{0,62}$'),
    ADD CHECK (length("message") <= 2000),
    ADD CHECK ("count" >= 1),
    -- Nobody but the product tells of these.
    ADD CHECK (
        "source_id" IS NULL
        OR "kind" NOT IN ('credential_stale', 'pack_unavailable', 'approval_waiting', 'source_paused', 'source_failed')
    ),
    ADD CHECK (("source_id" IS NULL) = ("source_verb" IS NULL));
ALTER TABLE "sense_sources"
    ADD CHECK ("every_s" BETWEEN 60 AND 86400),
    ADD CHECK (("paused_at" IS NULL) = ("paused_reason" IS NULL));
ALTER TABLE "sessions" DROP CONSTRAINT "sessions_kind_check";
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_kind_check" CHECK ("kind" IN ('default', 'explicit', 'standing'));
ALTER TABLE "webhooks" DROP CONSTRAINT "webhooks_events_check";
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_events_check"
    CHECK ("events" <@ ARRAY['approval.requested', 'approval.decided', 'run.finished', 'sense.raised']);
ALTER TABLE "webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_type_check";
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_type_check"
    CHECK ("type" IN ('approval.requested', 'approval.decided', 'run.finished', 'sense.raised', 'webhook.test'));

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['sense_events', 'sense_sources'] LOOP
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

-- For the search for those whose time has come.
CREATE POLICY "reaper" ON "sense_sources" FOR SELECT
    USING (current_setting('app.reaper', true) = 'on' AND "enabled" AND "paused_at" IS NULL);

-- A month after they were mended; nothing else removes them.
CREATE POLICY "sweeper_sees" ON "sense_events" FOR SELECT
    USING (current_setting('app.sweeper', true) = 'on' AND "cleared_at" < now() - interval '30 days');
CREATE POLICY "sweeper_removes" ON "sense_events" FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on' AND "cleared_at" < now() - interval '30 days');
CREATE POLICY "sweeper_alone" ON "sense_events" AS RESTRICTIVE FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on');

GRANT SELECT, INSERT, UPDATE, DELETE ON "sense_events" TO "hcp_app";
GRANT SELECT, INSERT, UPDATE ON "sense_sources" TO "hcp_app";
