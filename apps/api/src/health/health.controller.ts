import { Controller, HttpStatus, Inject, Res } from '@nestjs/common';
import type { Health, Readiness as ReadinessAnswer } from '@hcp/contracts';
import { Database, sql } from '@hcp/database';
import type { FastifyReply } from 'fastify';
import { Readiness } from '../platform/readiness.js';
import { Route } from '../platform/route.js';

/** A worker not heard of for this long counts as gone; it tells of itself every few seconds. */
const WORKER_SILENT_MS = 30_000;

@Controller()
export class HealthController {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(Readiness) private readonly parts: Readiness,
  ) {}

  @Route('healthz')
  health(): Health {
    return { status: 'ok' };
  }

  @Route('readyz')
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessAnswer> {
    const [database, queue] = await Promise.all([this.databaseWorks(), this.parts.check('queue')]);
    const sandbox = database ? await this.sandbox() : { driver: null, detail: 'the database cannot be asked' };
    const ready = database && queue;
    if (!ready) void reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return {
      status: ready ? 'ready' : 'not_ready',
      database: database ? 'ok' : 'failed',
      queue: queue ? 'ok' : 'failed',
      sandbox,
    };
  }

  private async databaseWorks(): Promise<boolean> {
    return this.db
      .global(async (tx) => {
        await tx.$queryRaw(sql`SELECT 1`);
        return true;
      })
      .catch(() => false);
  }

  /** What the workers say of themselves; the API runs nothing itself (SPEC S1). */
  private async sandbox(): Promise<ReadinessAnswer['sandbox']> {
    const since = new Date(Date.now() - WORKER_SILENT_MS);
    const workers = await this.db
      .global((tx) => tx.worker.findMany({ where: { seen_at: { gte: since } }, orderBy: { seen_at: 'desc' } }))
      .catch(() => []);
    const worker = workers.find((one) => one.sandbox_driver !== null) ?? workers[0];
    if (!worker) return { driver: null, detail: 'no worker is there' };
    return { driver: worker.sandbox_driver, detail: worker.sandbox_detail };
  }
}
