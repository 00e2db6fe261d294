-- Values are kept until a while after the run and its approval have ended (SPEC R5).
ALTER TABLE "runs" ADD COLUMN "output_erased_at" TIMESTAMPTZ(6);
ALTER TABLE "approvals" ADD COLUMN "erased_at" TIMESTAMPTZ(6);

-- By hand from here. Who says that values are gone has none; a request that may still be used keeps them.
ALTER TABLE "runs"
    ADD CHECK ("output_erased_at" IS NULL OR ("args_enc" IS NULL AND "outcome_enc" IS NULL));
ALTER TABLE "approvals"
    ADD CHECK ("erased_at" IS NULL OR ("sealed" IS NULL AND "ended_at" IS NOT NULL));

-- What still has values, by its end.
CREATE INDEX "runs_kept_idx" ON "runs" ("finished_at") WHERE "args_enc" IS NOT NULL OR "outcome_enc" IS NOT NULL;
CREATE INDEX "approvals_kept_idx" ON "approvals" ("ended_at") WHERE "sealed" IS NOT NULL;

-- The search for them, in every tenant: what has ended, to read only.
CREATE POLICY "sweeper_sees" ON "runs" FOR SELECT
    USING (
        current_setting('app.sweeper', true) = 'on'
        AND "status" IN ('succeeded', 'failed', 'timed_out', 'cancelled', 'unknown') AND "finished_at" IS NOT NULL
    );
CREATE POLICY "sweeper_sees" ON "approvals" FOR SELECT
    USING (current_setting('app.sweeper', true) = 'on' AND "ended_at" IS NOT NULL);
