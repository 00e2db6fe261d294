import { Body, Controller, Headers, Inject, Res } from '@nestjs/common';
import { ApiBody, ApiHeader } from '@nestjs/swagger';
import { parseEnvelope, type Caller, type ResultEnvelope } from '@hcp/core';
import { Exec } from '@hcp/runs';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { IDEMPOTENCY_HEADER, withKey } from './keyed.js';
import { invalidEnvelope } from './invalid-envelope.js';

@Controller()
export class ExecController {
  constructor(@Inject(Exec) private readonly exec: Exec) {}

  @Route('exec')
  @ApiHeader({
    name: 'Idempotency-Key',
    description: '`idempotency_key` of the envelope, as a header.',
    required: false,
  })
  @ApiBody({ required: true, schema: { $ref: '#/components/schemas/ExecRequest' } })
  async run(
    @CurrentCaller() caller: Caller,
    @Body() body: unknown,
    @Headers(IDEMPOTENCY_HEADER) key: string | string[] | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResultEnvelope> {
    const keyed = withKey(body, key);
    const parsed = keyed.ok ? parseEnvelope(keyed.body) : keyed;
    if (!parsed.ok) {
      void reply.status(400);
      return invalidEnvelope(parsed.denial);
    }
    return this.exec.exec(caller, parsed.envelope);
  }
}
