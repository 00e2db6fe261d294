import { Controller, Headers, Inject, Param, Query, Req, Sse, type MessageEvent } from '@nestjs/common';
import {
  DEFAULT_PAGE_SIZE,
  idParamsSchema,
  listRunsQuerySchema,
  type ListRunsQuery,
  type Page,
  type Run as RunAnswer,
  type RunSummary,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import {
  cancelRun,
  getNamedRun,
  getRun,
  listRuns,
  outcomeOf,
  RunWaiter,
  type NamedRunView,
  type RunView,
  type TenantKeys,
} from '@hcp/runs';
import type { Bus } from '@hcp/queue';
import { reauthenticate } from '@hcp/tenancy';
import type { FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import { from, type Observable } from 'rxjs';
import { CurrentCaller } from '../platform/metadata.js';
import { OpenStreams } from '../platform/open-streams.js';
import { notFound } from '../platform/problem.js';
import { Route } from '../platform/route.js';
import { runAnswer, runSummary } from './run-answer.js';
import { runEvents } from './run-events.js';
import { BUS, KEYS } from './tokens.js';

@Controller()
export class RunsController {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(KEYS) private readonly keys: TenantKeys,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(RunWaiter) private readonly waiter: RunWaiter,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
    @Inject(PinoLogger) private readonly log: PinoLogger,
  ) {}

  @Route('runs_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listRunsQuerySchema }) query: ListRunsQuery,
  ): Promise<Page<RunSummary>> {
    const page = await listRuns(this.db, caller, { ...query, limit: query.limit ?? DEFAULT_PAGE_SIZE });
    return { items: page.items.map(runSummary), next_cursor: page.next_cursor };
  }

  @Route('runs_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<RunAnswer> {
    return this.answer(await this.find(caller, id));
  }

  @Route('runs_cancel')
  async cancel(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<RunAnswer> {
    const { run } = await this.find(caller, id);
    const onError = (error: Error) => this.log.error({ err: error }, 'cancel');
    await cancelRun({ db: this.db, keys: this.keys, bus: this.bus, onError }, caller, run);
    return this.answer(await this.find(caller, id));
  }

  @Route('runs_events')
  @Sse()
  async events(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Headers('last-event-id') last_event_id: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<Observable<MessageEvent>> {
    await this.find(caller, id);
    // A run may be silent for longer than a connection otherwise may.
    request.raw.socket.setTimeout(0);
    return this.streams.open(caller, (gone) => {
      // Each look is by the rights of its moment: a key that is revoked reads no further (SPEC T5).
      const load = async (): Promise<RunView | null> => {
        if (gone()) return null;
        const again = await reauthenticate(this.db, caller);
        return again.ok ? getRun(this.db, again.caller, id) : null;
      };
      return from(runEvents({ run_id: id, db: this.db, waiter: this.waiter, keys: this.keys, load }, last_event_id));
    });
  }

  private async find(caller: Caller, id: string): Promise<NamedRunView> {
    const view = await getNamedRun(this.db, caller, id);
    if (!view) throw notFound();
    return view;
  }

  private async answer(view: NamedRunView): Promise<RunAnswer> {
    return runAnswer(view, await outcomeOf(this.keys, view));
  }
}
