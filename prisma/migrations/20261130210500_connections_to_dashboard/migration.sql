-- Where a browser ends that comes back from a provider: in the dashboard, where the connection began there (SPEC B2, I5).
ALTER TABLE "connections" ADD COLUMN "to_dashboard" BOOLEAN NOT NULL DEFAULT false;
