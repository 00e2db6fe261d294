-- What happened in a tenant, for those who follow it, and the endpoints that are told of it (SPEC V5, 17).
CREATE TABLE "tenant_events" (
    "tenant_id" UUID NOT NULL,
    "xid" BIGINT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "subject_id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tenant_events_pkey" PRIMARY KEY ("tenant_id","xid","seq")
);

CREATE TABLE "webhooks" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "events" TEXT[] NOT NULL,
    "pack_ids" TEXT[] NOT NULL,
    "secret_enc" BYTEA NOT NULL,
    "old_secret_enc" BYTEA,
    "old_secret_until" TIMESTAMPTZ(6),
    "disabled_at" TIMESTAMPTZ(6),
    "disabled_reason" TEXT,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "webhook_deliveries" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "webhook_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "payload" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease_until" TIMESTAMPTZ(6),
    "last_status" INTEGER,
    "last_error" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE INDEX "tenant_events_at_idx" ON "tenant_events"("at");
CREATE INDEX "webhook_deliveries_tenant_id_webhook_id_id_idx" ON "webhook_deliveries"("tenant_id", "webhook_id", "id" DESC);
CREATE INDEX "webhook_deliveries_finished_at_idx" ON "webhook_deliveries"("finished_at");

-- By hand from here.
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries" ("next_at") WHERE "state" = 'pending';

ALTER TABLE "tenant_events" ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id");
ALTER TABLE "webhooks"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "created_by") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "webhook_deliveries"
    ADD FOREIGN KEY ("tenant_id", "webhook_id") REFERENCES "webhooks" ("tenant_id", "id") ON DELETE CASCADE;

ALTER TABLE "tenant_events"
    ADD CHECK ("type" IN ('run.updated', 'approval.requested', 'approval.decided', 'sense.changed'));
ALTER TABLE "webhooks"
    ADD CHECK ("events" <@ ARRAY['approval.requested', 'approval.decided', 'run.finished']),
    ADD CHECK (("disabled_at" IS NULL) = ("disabled_reason" IS NULL)),
    ADD CHECK ("disabled_reason" IN ('by_hand', 'gone')),
    ADD CHECK (("old_secret_enc" IS NULL) = ("old_secret_until" IS NULL));
ALTER TABLE "webhook_deliveries"
    ADD CHECK ("type" IN ('approval.requested', 'approval.decided', 'run.finished', 'webhook.test')),
    ADD CHECK ("state" IN ('pending', 'delivered', 'dead')),
    ADD CHECK (("state" = 'pending') = ("finished_at" IS NULL)),
    ADD CHECK ("attempts" >= 0);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['tenant_events', 'webhooks', 'webhook_deliveries'] LOOP
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

-- Deliveries that wait, for the search for those that are due.
CREATE POLICY "reaper" ON "webhook_deliveries" FOR SELECT
    USING (current_setting('app.reaper', true) = 'on' AND "state" = 'pending');

-- What is over: events after a day, which nobody can ask for by then, and deliveries a month after their end. Nothing
-- else removes them, but that deliveries go with their endpoint.
CREATE POLICY "sweeper_sees" ON "tenant_events" FOR SELECT
    USING (current_setting('app.sweeper', true) = 'on' AND "at" < now() - interval '25 hours');
CREATE POLICY "sweeper_removes" ON "tenant_events" FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on' AND "at" < now() - interval '25 hours');
CREATE POLICY "sweeper_alone" ON "tenant_events" AS RESTRICTIVE FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on');
CREATE POLICY "sweeper_sees" ON "webhook_deliveries" FOR SELECT
    USING (current_setting('app.sweeper', true) = 'on' AND "finished_at" < now() - interval '30 days');
CREATE POLICY "sweeper_removes" ON "webhook_deliveries" FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on' AND "finished_at" < now() - interval '30 days');
CREATE POLICY "sweeper_alone" ON "webhook_deliveries" AS RESTRICTIVE FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on');

GRANT SELECT, INSERT, DELETE ON "tenant_events" TO "hcp_app";
GRANT USAGE ON SEQUENCE "tenant_events_seq_seq" TO "hcp_app";
GRANT SELECT, INSERT, UPDATE, DELETE ON "webhooks", "webhook_deliveries" TO "hcp_app";
