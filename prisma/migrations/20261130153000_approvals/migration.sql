-- Requests for a person's yes, and what people said (SPEC V).
ALTER TABLE "runs"
    ADD COLUMN "approval_id" UUID,
    ADD COLUMN "attested_id" TEXT;

CREATE TABLE "approvals" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "state" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "principal_id" UUID NOT NULL,
    "principal_kind" TEXT NOT NULL,
    "acts_for" UUID,
    "session_id" UUID NOT NULL,
    "authority" JSONB NOT NULL,
    "project_id" UUID,
    "pack_id" TEXT NOT NULL,
    "verb_key" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "pack_version" TEXT NOT NULL,
    "pack_digest" TEXT NOT NULL,
    "binding" TEXT NOT NULL,
    "reason_code" TEXT NOT NULL,
    "mode" TEXT NOT NULL,
    "arg_names" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "sealed" BYTEA,
    "card_digest" TEXT NOT NULL,
    "complete" BOOLEAN NOT NULL,
    "second_person" BOOLEAN NOT NULL,
    "approvers" INTEGER NOT NULL,
    "reason_required" BOOLEAN NOT NULL,
    "run_on_approve" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "pending_expires_at" TIMESTAMPTZ(6) NOT NULL,
    "approved_at" TIMESTAMPTZ(6),
    "use_expires_at" TIMESTAMPTZ(6),
    "ended_at" TIMESTAMPTZ(6),
    "run_id" UUID,

    CONSTRAINT "approvals_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE TABLE "approval_decisions" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "approval_id" UUID NOT NULL,
    "principal_id" UUID NOT NULL,
    "decision" TEXT NOT NULL,
    "option" TEXT,
    "reason_enc" BYTEA,
    "at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "approval_decisions_pkey" PRIMARY KEY ("tenant_id","id")
);

CREATE INDEX "approvals_tenant_id_state_id_idx" ON "approvals"("tenant_id", "state", "id" DESC);
CREATE INDEX "approvals_tenant_id_principal_id_digest_idx" ON "approvals"("tenant_id", "principal_id", "digest");
CREATE INDEX "approvals_tenant_id_run_id_idx" ON "approvals"("tenant_id", "run_id");
CREATE UNIQUE INDEX "approval_decisions_tenant_id_approval_id_principal_id_decis_key" ON "approval_decisions"("tenant_id", "approval_id", "principal_id", "decision");

-- By hand from here.
ALTER TABLE "approvals"
    ADD FOREIGN KEY ("tenant_id") REFERENCES "tenants" ("id"),
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id"),
    ADD FOREIGN KEY ("tenant_id", "run_id") REFERENCES "runs" ("tenant_id", "id") DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "approval_decisions"
    ADD FOREIGN KEY ("tenant_id", "approval_id") REFERENCES "approvals" ("tenant_id", "id") ON DELETE CASCADE,
    ADD FOREIGN KEY ("tenant_id", "principal_id") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "runs"
    ADD FOREIGN KEY ("tenant_id", "approval_id") REFERENCES "approvals" ("tenant_id", "id");

-- The same ask again is the same request; an approval covers one run; an attested yes too.
CREATE UNIQUE INDEX "approvals_pending_key" ON "approvals" ("tenant_id", "principal_id", "digest") WHERE "state" = 'pending';
CREATE UNIQUE INDEX "runs_attested_key" ON "runs" ("tenant_id", "principal_id", "attested_id") WHERE "attested_id" IS NOT NULL;

ALTER TABLE "approvals"
    ADD CHECK ("state" IN ('pending', 'approved', 'rejected', 'expired', 'consumed')),
    ADD CHECK ("principal_kind" IN ('human', 'agent', 'service')),
    ADD CHECK ("operation" IN ('read', 'write', 'connect')),
    ADD CHECK ("approvers" BETWEEN 1 AND 5),
    ADD CHECK (("approved_at" IS NULL) = ("use_expires_at" IS NULL)),
    ADD CHECK ("state" NOT IN ('approved', 'consumed') OR "approved_at" IS NOT NULL),
    ADD CHECK ("state" <> 'consumed' OR "run_id" IS NOT NULL),
    ADD CHECK (("state" IN ('pending', 'approved')) = ("ended_at" IS NULL));
ALTER TABLE "approval_decisions"
    ADD CHECK ("decision" IN ('approve', 'reject')),
    ADD CHECK ("option" IN ('allow_once', 'allow_session'));

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['approvals', 'approval_decisions'] LOOP
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
-- Requests that have not ended, for the search for clocks that ran out.
CREATE POLICY "reaper" ON "approvals" FOR SELECT
    USING (current_setting('app.reaper', true) = 'on' AND "state" IN ('pending', 'approved'));

GRANT SELECT, INSERT, UPDATE ON "approvals" TO "hcp_app";
GRANT SELECT, INSERT ON "approval_decisions" TO "hcp_app";
