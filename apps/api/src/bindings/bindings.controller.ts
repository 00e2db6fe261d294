import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  createBinding,
  listBindings,
  revokeBinding,
  rotateBinding,
  type Answer,
  type BindingDeps,
  type BindingRefusalCode,
} from '@hcp/bindings';
import {
  createBindingSchema,
  idParamsSchema,
  listBindingsQuerySchema,
  revokeBindingQuerySchema,
  rotateBindingSchema,
  type Binding,
  type CreateBinding,
  type ListBindingsQuery,
  type Page,
  type RevokeBindingQuery,
  type RotateBinding,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { CurrentCaller } from '../platform/metadata.js';
import { notFound, ProblemError } from '../platform/problem.js';
import { Route } from '../platform/route.js';
import { BINDINGS } from './tokens.js';

/** Stored credentials (SPEC B1-B3, B6): they go in here and never come out again. */
@Controller()
export class BindingsController {
  constructor(@Inject(BINDINGS) private readonly bindings: BindingDeps) {}

  @Route('bindings_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listBindingsQuerySchema }) query: ListBindingsQuery,
  ): Promise<Page<Binding>> {
    return valueOf(await listBindings(this.bindings.db, caller, query, new Date()));
  }

  @Route('bindings_create')
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createBindingSchema }) body: CreateBinding,
  ): Promise<Binding> {
    return valueOf(await createBinding(this.bindings, caller, body, new Date()));
  }

  @Route('bindings_rotate')
  async rotate(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: rotateBindingSchema }) body: RotateBinding,
  ): Promise<Binding> {
    return valueOf(await rotateBinding(this.bindings, caller, id, body, new Date()));
  }

  @Route('bindings_revoke')
  async revoke(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Query({ schema: revokeBindingQuerySchema }) { forget }: RevokeBindingQuery,
  ): Promise<void> {
    valueOf(await revokeBinding(this.bindings, caller, id, { forget: forget === '1' }, new Date()));
  }
}

const STATUS: Readonly<Record<BindingRefusalCode, number>> = {
  human_only: 403,
  missing_capability: 403,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  invalid_request: 400,
};

function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  if (answer.code === 'not_found') throw notFound();
  throw new ProblemError(STATUS[answer.code], answer.code, answer.detail, answer.errors);
}
