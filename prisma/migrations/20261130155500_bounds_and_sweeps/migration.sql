-- Who linked a subject bounds it, the platform's stops count everywhere, and rows that are over are swept.

ALTER TABLE "external_identities" ADD COLUMN "linked_by" UUID;
ALTER TABLE "sessions" ADD COLUMN "linked_by" UUID, ADD COLUMN "token_expires_at" TIMESTAMPTZ(6);
ALTER TABLE "pack_stops" ADD COLUMN "platform" BOOLEAN NOT NULL DEFAULT false;

CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");
CREATE INDEX "refresh_tokens_expires_at_idx" ON "refresh_tokens"("expires_at");
CREATE INDEX "idempotency_keys_expires_at_idx" ON "idempotency_keys"("expires_at");
CREATE INDEX "invitations_expires_at_idx" ON "invitations"("expires_at");

ALTER TABLE "external_identities"
    ADD FOREIGN KEY ("tenant_id", "linked_by") REFERENCES "principals" ("tenant_id", "id");
ALTER TABLE "sessions"
    ADD FOREIGN KEY ("tenant_id", "linked_by") REFERENCES "principals" ("tenant_id", "id");

-- What is there already. The owner is bound by row-level security too, so for this statement it is not.
ALTER TABLE "tenants" NO FORCE ROW LEVEL SECURITY;
ALTER TABLE "pack_stops" NO FORCE ROW LEVEL SECURITY;
UPDATE "pack_stops" AS "s" SET "platform" = true
    FROM "tenants" AS "t" WHERE "t"."id" = "s"."tenant_id" AND "t"."platform";
ALTER TABLE "tenants" FORCE ROW LEVEL SECURITY;
ALTER TABLE "pack_stops" FORCE ROW LEVEL SECURITY;

-- `platform` says the truth: a stop has it exactly where its tenant has it.
ALTER TABLE "pack_stops" ADD FOREIGN KEY ("tenant_id", "platform") REFERENCES "tenants" ("id", "platform");
-- For every tenant to read: these rows alone, and no more of the platform tenant.
CREATE POLICY "platform" ON "pack_stops" FOR SELECT
    USING ("platform" AND nullif(current_setting('app.tenant_id', true), '') IS NOT NULL);

-- The sweep of every tenant's rows that are over; it sees and removes these and no other. A session of an external token
-- stays until the token has ended too, because the row is what says that a revoked token is dead.
CREATE POLICY "sweeper_sees" ON "sessions" FOR SELECT
    USING (
        current_setting('app.sweeper', true) = 'on' AND "expires_at" < now() - interval '1 day'
        AND ("token_hash" IS NULL OR "token_expires_at" < now() - interval '1 day')
    );
CREATE POLICY "sweeper_removes" ON "sessions" FOR DELETE
    USING (
        current_setting('app.sweeper', true) = 'on' AND "expires_at" < now() - interval '1 day'
        AND ("token_hash" IS NULL OR "token_expires_at" < now() - interval '1 day')
    );
CREATE POLICY "sweeper_sees" ON "refresh_tokens" FOR SELECT
    USING (current_setting('app.sweeper', true) = 'on' AND "expires_at" < now() - interval '1 day');
CREATE POLICY "sweeper_removes" ON "refresh_tokens" FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on' AND "expires_at" < now() - interval '1 day');
CREATE POLICY "sweeper_sees" ON "idempotency_keys" FOR SELECT
    USING (current_setting('app.sweeper', true) = 'on' AND "expires_at" < now());
CREATE POLICY "sweeper_removes" ON "idempotency_keys" FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on' AND "expires_at" < now());
CREATE POLICY "sweeper_sees" ON "invitations" FOR SELECT
    USING (current_setting('app.sweeper', true) = 'on' AND "expires_at" < now() - interval '30 days');
CREATE POLICY "sweeper_removes" ON "invitations" FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on' AND "expires_at" < now() - interval '30 days');

-- Sessions and invitations are removed by the sweep alone, also within a tenant.
CREATE POLICY "sweeper_alone" ON "sessions" AS RESTRICTIVE FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on');
CREATE POLICY "sweeper_alone" ON "invitations" AS RESTRICTIVE FOR DELETE
    USING (current_setting('app.sweeper', true) = 'on');
GRANT DELETE ON "sessions", "invitations" TO "hcp_app";
