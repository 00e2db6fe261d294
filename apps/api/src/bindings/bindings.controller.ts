import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  beginConnect,
  createBinding,
  createOwnAccount,
  getBinding,
  getConnection,
  isOwnAccount,
  kindOf,
  listBindings,
  revokeBinding,
  rotateBinding,
  rotateOwnAccount,
  type BindingDeps,
  type BrowserDeps,
  type RevokeAtProvider,
} from '@hcp/bindings';
import {
  connectBindingSchema,
  createBindingSchema,
  idParamsSchema,
  listBindingsQuerySchema,
  revokeBindingQuerySchema,
  rotateBindingSchema,
  type Binding,
  type ConnectBinding,
  type Connection,
  type ConnectStarted,
  type CreateBinding,
  type ListBindingsQuery,
  type Page,
  type RevokeBindingQuery,
  type RotateBinding,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { valueOf } from './binding-problem.js';
import { AT_PROVIDER, BINDINGS, CONNECTING } from './tokens.js';

/** Stored credentials (SPEC B1-B3, B6): they go in here and never come out again. */
@Controller()
export class BindingsController {
  constructor(
    @Inject(BINDINGS) private readonly bindings: BindingDeps,
    @Inject(CONNECTING) private readonly connecting: BrowserDeps,
    @Inject(AT_PROVIDER) private readonly atProvider: RevokeAtProvider,
  ) {}

  @Route('bindings_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listBindingsQuerySchema }) query: ListBindingsQuery,
  ): Promise<Page<Binding>> {
    return valueOf(await listBindings(this.bindings.db, caller, query, new Date()));
  }

  @Route('bindings_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<Binding> {
    return valueOf(await getBinding(this.bindings.db, caller, id, new Date()));
  }

  @Route('bindings_create')
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createBindingSchema }) body: CreateBinding,
  ): Promise<Binding> {
    const now = new Date();
    if (isOwnAccount(body.kind)) return valueOf(await createOwnAccount(this.connecting, caller, body, now));
    return valueOf(await createBinding(this.bindings, caller, body, now));
  }

  @Route('bindings_rotate')
  async rotate(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: rotateBindingSchema }) body: RotateBinding,
  ): Promise<Binding> {
    const now = new Date();
    const own = isOwnAccount(await kindOf(this.bindings, caller, id, now));
    if (own) return valueOf(await rotateOwnAccount(this.connecting, caller, id, body, now));
    return valueOf(await rotateBinding(this.bindings, caller, id, body, now));
  }

  @Route('bindings_revoke')
  async revoke(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Query({ schema: revokeBindingQuerySchema }) { forget }: RevokeBindingQuery,
  ): Promise<void> {
    const deps = { ...this.bindings, atProvider: this.atProvider };
    valueOf(await revokeBinding(deps, caller, id, { forget: forget === '1' }, new Date()));
  }

  @Route('bindings_connect')
  async connect(
    @CurrentCaller() caller: Caller,
    @Body({ schema: connectBindingSchema }) body: ConnectBinding,
  ): Promise<ConnectStarted> {
    return valueOf(await beginConnect(this.connecting, caller, body, new Date()));
  }

  @Route('connections_get')
  async connection(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<Connection> {
    return valueOf(await getConnection(this.bindings.db, caller, id, new Date()));
  }
}
