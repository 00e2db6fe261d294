-- The commands that a composite's request for approval stands for: who answers it must hold the right for each.
ALTER TABLE "approvals" ADD COLUMN "steps" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_steps_check" CHECK (jsonb_typeof("steps") = 'array');
