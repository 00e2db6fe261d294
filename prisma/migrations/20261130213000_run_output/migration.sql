-- What a command has printed so far, for those who follow it; its end replaces it (SPEC R5).
CREATE TABLE "run_output" (
    "tenant_id" UUID NOT NULL,
    "run_id" UUID NOT NULL,
    "attempt_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "sealed" BYTEA NOT NULL,

    CONSTRAINT "run_output_pkey" PRIMARY KEY ("tenant_id","run_id","attempt_id","seq")
);

-- By hand from here.
ALTER TABLE "run_output"
    ADD FOREIGN KEY ("tenant_id", "run_id") REFERENCES "runs" ("tenant_id", "id") ON DELETE CASCADE;
-- 65536 characters, each written in at most six bytes.
ALTER TABLE "run_output"
    ADD CHECK ("seq" >= 1),
    ADD CHECK (octet_length("sealed") <= 500000);

ALTER TABLE "run_output" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "run_output" FORCE ROW LEVEL SECURITY;
CREATE POLICY "tenant" ON "run_output"
    USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
    WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);

GRANT SELECT, INSERT, DELETE ON "run_output" TO "hcp_app";
