import { Controller, Inject, Param } from '@nestjs/common';
import {
  idParamsSchema,
  type RewrappedAnswer,
  type RootKeysAnswer,
  type RotatedDataKey,
  type RotatedSigningKey,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { listRootKeys, rewrapKeys, rotateDataKey, rotateSigningKey, type KeyDeps } from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';
import { KEY_DEPS } from './tokens.js';

/** Root keys, signing keys and data keys, for platform operators (SPEC B3). */
@Controller()
export class RootKeysController {
  constructor(@Inject(KEY_DEPS) private readonly deps: KeyDeps) {}

  @Route('root_keys_get')
  async get(@CurrentCaller() caller: Caller): Promise<RootKeysAnswer> {
    return unwrap(await listRootKeys(this.deps, caller));
  }

  @Route('root_keys_rewrap')
  async rewrap(@CurrentCaller() caller: Caller): Promise<RewrappedAnswer> {
    return unwrap(await rewrapKeys(this.deps, caller));
  }

  @Route('signing_keys_rotate')
  async rotateSigningKey(@CurrentCaller() caller: Caller): Promise<RotatedSigningKey> {
    return unwrap(await rotateSigningKey(this.deps, caller));
  }

  @Route('tenants_rotate_data_key')
  async rotateDataKey(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<RotatedDataKey> {
    return unwrap(await rotateDataKey(this.deps, caller, id));
  }
}
