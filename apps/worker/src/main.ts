import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Logger } from 'nestjs-pino';
import { EnvError } from '@hcp/contracts';
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
  process.stderr.write(`worker: ${error instanceof EnvError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
}
