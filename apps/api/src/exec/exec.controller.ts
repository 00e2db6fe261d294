import { Body, Controller, Inject, Res } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { parseEnvelope, type Caller, type ResultEnvelope } from '@hcp/core';
import { Exec } from '@hcp/runs';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../platform/metadata.js';
import { Route } from '../platform/route.js';
import { invalidEnvelope } from './invalid-envelope.js';

@Controller()
export class ExecController {
  constructor(@Inject(Exec) private readonly exec: Exec) {}

  @Route('exec')
  @ApiBody({ required: true, schema: { $ref: '#/components/schemas/ExecRequest' } })
  async run(
    @CurrentCaller() caller: Caller,
    @Body() body: unknown,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ResultEnvelope> {
    const parsed = parseEnvelope(body);
    if (!parsed.ok) {
      void reply.status(400);
      return invalidEnvelope(parsed.denial);
    }
    return this.exec.exec(caller, parsed.envelope);
  }
}
