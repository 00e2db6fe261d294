import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  listSenseQuerySchema,
  listSenseSourcesQuerySchema,
  senseSourceParamsSchema,
  setSenseSourceSchema,
  type ListSenseQuery,
  type ListSenseSourcesQuery,
  type Page,
  type SenseEvent,
  type SenseSource,
  type SetSenseSource,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import {
  listSense,
  listSources,
  setSource,
  type Answer,
  type LookDeps,
  type SenseRefusalCode,
  type SourceDeps,
} from '@hcp/sense';
import { CurrentCaller } from '../platform/metadata.js';
import { notFound, ProblemError } from '../platform/problem.js';
import { Route } from '../platform/route.js';
import { SENSE } from './tokens.js';

/** What people should know of until it is mended, and packs that are looked at for it (SPEC N1, W8). */
@Controller()
export class SenseController {
  constructor(@Inject(SENSE) private readonly sense: LookDeps & SourceDeps) {}

  @Route('sense_list')
  list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listSenseQuerySchema }) query: ListSenseQuery,
  ): Promise<Page<SenseEvent>> {
    return listSense(this.sense, caller, query, new Date());
  }

  @Route('sense_sources_list')
  sources(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listSenseSourcesQuerySchema }) query: ListSenseSourcesQuery,
  ): Promise<Page<SenseSource>> {
    return listSources(this.sense.db, caller, query, new Date());
  }

  @Route('sense_sources_set')
  async set(
    @CurrentCaller() caller: Caller,
    @Param({ schema: senseSourceParamsSchema }) { pack_id }: { pack_id: string },
    @Body({ schema: setSenseSourceSchema }) body: SetSenseSource,
  ): Promise<SenseSource> {
    return valueOf(await setSource(this.sense, caller, pack_id, body, new Date()));
  }
}

const STATUS: Readonly<Record<SenseRefusalCode, number>> = {
  human_only: 403,
  missing_capability: 403,
  not_found: 404,
  conflict: 409,
};

function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  if (answer.code === 'not_found') throw notFound();
  throw new ProblemError(STATUS[answer.code], answer.code, answer.detail);
}
