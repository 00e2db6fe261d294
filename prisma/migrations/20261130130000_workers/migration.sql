-- What each worker can do. Facts of the platform, of no tenant: no row-level security.
CREATE TABLE "workers" (
    "id" UUID NOT NULL,
    "sandbox_driver" TEXT,
    "sandbox_detail" TEXT NOT NULL,
    "concurrency" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workers_pkey" PRIMARY KEY ("id")
);

GRANT SELECT, INSERT, UPDATE, DELETE ON "workers" TO hcp_app;
