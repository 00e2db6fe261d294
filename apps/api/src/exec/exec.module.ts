import { Module } from '@nestjs/common';
import { ROUTES } from '@hcp/contracts';
import { BodyRefusals } from '../platform/body-refusals.js';
import { RunsModule } from '../runs/runs.module.js';
import { ExecController } from './exec.controller.js';
import { invalidEnvelope } from './invalid-envelope.js';

@Module({ imports: [RunsModule], controllers: [ExecController] })
export class ExecModule {
  constructor(refusals: BodyRefusals) {
    refusals.register(ROUTES.exec.path, (error) => ({
      status: 400,
      body: invalidEnvelope({
        code: 'invalid_envelope',
        error: `invalid envelope: ${error.message}`,
        hint: 'send one JSON object with pack_id, verb_key and args',
      }),
    }));
  }
}
