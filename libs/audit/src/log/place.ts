import { coveringNodes, eventHash, GrowingTree, type HashedNode } from '@hcp/core';
import { sql, type AuditEvent, type Database, type Tx } from '@hcp/database';
import { auditItem } from '../item.js';
import { sha256 } from './digest.js';
import { logSize, readNodes } from './nodes.js';

/** Events that get their place in one transaction. */
const BATCH = 500;
/** Tenants that one look is for, and batches of each: a long line of one keeps no other waiting. */
const TENANTS = 100;
const BATCHES = 10;

/**
 * Gives every event of the tenant that has committed by now its place in the log, so that what is read next is behind
 * none of them (SPEC U3). Any number may do so at once; one of them does it at a time.
 */
export async function placeEvents(db: Database, tenant_id: string): Promise<void> {
  const waiting = await db.tenant(tenant_id, (tx) => tx.auditPending.findFirst({ where: { tenant_id } }));
  if (!waiting) return;
  while ((await placeBatch(db, tenant_id, 'wait')) === BATCH);
}

/** The worker's part: whatever waits in any tenant. @returns how many events got their place */
export async function placeWaiting(db: Database): Promise<number> {
  const tenants = await db.reaper((tx) =>
    // From one tenant to the next by the index, however many events of one wait.
    tx.$queryRaw<{ tenant_id: string }[]>(sql`
      with recursive waiting as (
        (select tenant_id from audit_pending order by tenant_id limit 1)
        union all
        select (select p.tenant_id from audit_pending p where p.tenant_id > w.tenant_id order by p.tenant_id limit 1)
        from waiting w where w.tenant_id is not null
      )
      select tenant_id::text from waiting where tenant_id is not null limit ${TENANTS}`),
  );
  let placed = 0;
  for (const { tenant_id } of tenants) {
    for (let batches = 0; batches < BATCHES; batches += 1) {
      const count = await placeBatch(db, tenant_id, 'skip');
      placed += count;
      if (count < BATCH) break;
    }
  }
  return placed;
}

function placeBatch(db: Database, tenant_id: string, held: 'wait' | 'skip'): Promise<number> {
  return db.tenant(tenant_id, async (tx) => {
    if (!(await lock(tx, tenant_id, held))) return 0;
    const events = await tx.$queryRaw<AuditEvent[]>(sql`
      select e.* from audit_pending p join audit_events e on e.tenant_id = p.tenant_id and e.id = p.event_id
      where p.tenant_id = ${tenant_id}::uuid order by p.event_id limit ${BATCH}`);
    if (events.length > 0) await append(tx, tenant_id, events);
    return events.length;
  });
}

/** Whoever holds it has committed when it is free again, and what it wrote is seen. */
async function lock(tx: Tx, tenant_id: string, held: 'wait' | 'skip'): Promise<boolean> {
  const key = sql`hashtextextended(${`audit_log ${tenant_id}`}, 0)`;
  if (held === 'wait') {
    await tx.$executeRaw(sql`select pg_advisory_xact_lock(${key})`);
    return true;
  }
  const [answer] = await tx.$queryRaw<{ mine: boolean }[]>(sql`select pg_try_advisory_xact_lock(${key}) as mine`);
  return answer?.mine === true;
}

async function append(tx: Tx, tenant_id: string, events: readonly AuditEvent[]): Promise<void> {
  const size = await logSize(tx, tenant_id);
  const edge = await readNodes(tx, tenant_id, coveringNodes({ from: 0, to: size }));
  const tree = new GrowingTree(sha256, size, edge);
  const leaves: Uint8Array[] = [];
  const nodes: HashedNode[] = [];
  for (const event of events) {
    const hash = await eventHash(sha256, auditItem(event));
    leaves.push(hash);
    nodes.push(...(await tree.add(hash)));
  }
  await tx.$executeRaw(sql`
    insert into audit_leaves (tenant_id, index, event_id, hash)
    select ${tenant_id}::uuid, ${BigInt(size)} + n - 1, id, decode(hash, 'hex')
    from unnest(${events.map(({ id }) => id)}::uuid[], ${leaves.map(hex)}::text[]) with ordinality as e (id, hash, n)`);
  await tx.$executeRaw(sql`
    insert into audit_nodes (tenant_id, level, index, hash)
    select ${tenant_id}::uuid, level, index, decode(hash, 'hex')
    from unnest(
      ${nodes.map(({ level }) => level)}::int[],
      ${nodes.map(({ index }) => BigInt(index))}::bigint[],
      ${nodes.map(({ hash }) => hex(hash))}::text[]
    ) as n (level, index, hash)`);
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
