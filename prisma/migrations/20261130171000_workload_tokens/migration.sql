-- A connection of a pack to a service that trusts this issuer: no secret, but a token signed for each run (SPEC B2).
ALTER TABLE "bindings" DROP CONSTRAINT "bindings_kind_check";
ALTER TABLE "bindings" ADD CONSTRAINT "bindings_kind_check"
    CHECK ("kind" IN ('secret', 'workload_token', 'oauth2_code', 'oauth2_client_credentials'));
