import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Logger } from 'nestjs-pino';
import { EnvError } from '@hcp/contracts';
import { RootKeyMissing } from '@hcp/tenancy';
import { readEnv } from './env.js';
import { WorkerModule } from './worker.module.js';

try {
  const app = await NestFactory.createApplicationContext(WorkerModule.with(readEnv(process.env)), {
    bufferLogs: true,
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  app.enableShutdownHooks();
} catch (error) {
  const named = error instanceof EnvError || error instanceof RootKeyMissing;
  process.stderr.write(`worker: ${named ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}
