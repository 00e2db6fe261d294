-- A workspace is written by one at a time: a run, or a change over the files API (SPEC W5).
ALTER TABLE "workspace_locks" ADD COLUMN "holder" UUID;
ALTER TABLE "workspace_locks" ALTER COLUMN "run_id" DROP NOT NULL;
ALTER TABLE "workspace_locks" NO FORCE ROW LEVEL SECURITY;
UPDATE "workspace_locks" SET "holder" = "run_id";
ALTER TABLE "workspace_locks" FORCE ROW LEVEL SECURITY;
ALTER TABLE "workspace_locks" ALTER COLUMN "holder" SET NOT NULL;
