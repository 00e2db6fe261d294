import { Controller, Headers, Inject, Req, Sse, type MessageEvent } from '@nestjs/common';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import type { TenantKeys } from '@hcp/runs';
import type { FastifyRequest } from 'fastify';
import { from, type Observable } from 'rxjs';
import { CurrentCaller } from '../platform/metadata.js';
import { OpenStreams } from '../platform/open-streams.js';
import { Route } from '../platform/route.js';
import { KEYS } from '../runs/tokens.js';
import { Followers } from './followers.js';
import { tenantEvents } from './tenant-events.js';

/** What happens in a tenant, as far as the caller may see it (SPEC 17). */
@Controller()
export class EventsController {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(KEYS) private readonly keys: TenantKeys,
    @Inject(Followers) private readonly followers: Followers,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Route('events_follow')
  @Sse()
  async follow(
    @CurrentCaller() caller: Caller,
    @Headers('last-event-id') last_event_id: string | undefined,
    @Req() request: FastifyRequest,
  ): Promise<Observable<MessageEvent>> {
    const { tenant_id } = caller;
    const sealer = await this.keys(tenant_id);
    // A tenant may be silent for longer than a connection otherwise may.
    request.raw.socket.setTimeout(0);
    return this.streams.open(caller, (gone) => {
      const watch = this.followers.watch(tenant_id);
      return from(tenantEvents({ db: this.db, sealer, watch, caller, gone }, last_event_id));
    });
  }
}
