import { sql, type Database } from '@hcp/database';

/** An endpoint for which something waits. */
export interface DueEndpoint {
  readonly tenant_id: string;
  readonly webhook_id: string;
}

const LOOK = 200;

/**
 * Endpoints of every tenant with messages that are due: first one of each tenant, then the second of each, so that a
 * tenant with many does not stand before the others.
 */
export function dueEndpoints(db: Database): Promise<DueEndpoint[]> {
  return db.reaper((tx) =>
    tx.$queryRaw<DueEndpoint[]>(sql`
      with due as (
        select tenant_id, webhook_id, min(next_at) as since from webhook_deliveries
        where state = 'pending' and next_at <= clock_timestamp()
          and (lease_until is null or lease_until < clock_timestamp())
        group by tenant_id, webhook_id
      ), ranked as (
        select tenant_id, webhook_id, since, row_number() over (partition by tenant_id order by since) as turn from due
      )
      select tenant_id::text, webhook_id::text from ranked order by turn, since limit ${LOOK}`),
  );
}
