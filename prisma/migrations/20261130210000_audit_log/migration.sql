-- A Merkle log per tenant over the audit events (SPEC U3, RFC 6962). Events are written as before; what waits for a place
-- in the log gets it afterwards, in batches, so that no transaction waits for another.
CREATE TABLE "audit_pending" (
    "tenant_id" UUID NOT NULL,
    "event_id" UUID NOT NULL,

    CONSTRAINT "audit_pending_pkey" PRIMARY KEY ("tenant_id","event_id")
);

CREATE TABLE "audit_leaves" (
    "tenant_id" UUID NOT NULL,
    "index" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_leaves_pkey" PRIMARY KEY ("tenant_id","index")
);

CREATE TABLE "audit_nodes" (
    "tenant_id" UUID NOT NULL,
    "level" INTEGER NOT NULL,
    "index" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_nodes_pkey" PRIMARY KEY ("tenant_id","level","index")
);

CREATE UNIQUE INDEX "audit_leaves_tenant_id_event_id_key" ON "audit_leaves"("tenant_id", "event_id");

ALTER TABLE "signing_keys"
    ADD COLUMN "purpose" TEXT NOT NULL DEFAULT 'token',
    ADD COLUMN "log_name" TEXT;

-- By hand from here. The log outlives what it tells of, so there are no foreign keys, as in audit_events.
ALTER TABLE "audit_leaves"
    ADD CHECK ("index" >= 0),
    ADD CHECK (octet_length("hash") = 32);
ALTER TABLE "audit_nodes"
    ADD CHECK ("level" BETWEEN 1 AND 62),
    ADD CHECK ("index" >= 0),
    ADD CHECK (octet_length("hash") = 32);

-- The key of the audit log is no key of tokens. One at a time: two replicas that make one at once get the same.
ALTER TABLE "signing_keys"
    ADD CHECK ("purpose" IN ('token', 'audit')),
    ADD CHECK (("purpose" = 'audit') = ("log_name" IS NOT NULL));
CREATE UNIQUE INDEX "signing_keys_audit_key" ON "signing_keys" ("purpose")
    WHERE "purpose" = 'audit' AND "retired_at" IS NULL;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['audit_pending', 'audit_leaves', 'audit_nodes'] LOOP
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

-- For the search for tenants of whose events some wait.
CREATE POLICY "reaper" ON "audit_pending" FOR SELECT
    USING (current_setting('app.reaper', true) = 'on');

-- Every event waits from the moment it commits until it has its place, and nothing that the application does can take it
-- out of the line: it may only read it.
CREATE FUNCTION audit_event_waits() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO audit_pending (tenant_id, event_id) VALUES (NEW.tenant_id, NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER "waits" AFTER INSERT ON "audit_events" FOR EACH ROW EXECUTE FUNCTION audit_event_waits();

CREATE FUNCTION audit_event_placed() RETURNS trigger LANGUAGE plpgsql
    SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    -- One row by its key, and no join that a planner without statistics would get wrong.
    DELETE FROM audit_pending WHERE tenant_id = NEW.tenant_id AND event_id = NEW.event_id;
    RETURN NULL;
END $$;
CREATE TRIGGER "placed" AFTER INSERT ON "audit_leaves" FOR EACH ROW EXECUTE FUNCTION audit_event_placed();

-- Append-only, as the events.
GRANT SELECT ON "audit_pending" TO "hcp_app";
GRANT SELECT, INSERT ON "audit_leaves", "audit_nodes" TO "hcp_app";

-- Events of before. The owner is bound by row-level security too, so for these statements it is not.
ALTER TABLE "audit_events" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "audit_pending" NO FORCE ROW LEVEL SECURITY;
INSERT INTO "audit_pending" ("tenant_id", "event_id") SELECT "tenant_id", "id" FROM "audit_events";
ALTER TABLE "audit_pending" FORCE ROW LEVEL SECURITY;
ALTER TABLE "audit_events" FORCE ROW LEVEL SECURITY;
