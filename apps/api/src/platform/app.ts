import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Logger, PinoLogger } from 'nestjs-pino';
import { AppModule } from '../app.module.js';
import { BodyRefusals } from './body-refusals.js';
import type { Env } from './env.js';
import { logRequests } from './logging.js';
import { MAX_JSON_BYTES, registerBodyParsers } from './json-body.js';
import { mountDocs } from './openapi.js';
import { ProblemFilter } from './problem.filter.js';
import { registerRequestHooks } from './request-hooks.js';
import { validationPipe } from './validation.js';

/** Builds the whole API, ready to listen: `await app.listen(port, host)`. Tests start it the same way. */
export async function createApp(env: Env): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_JSON_BYTES,
    // Ids are ours, so that nobody can forge another request's in the logs.
    genReqId: () => randomUUID(),
    // The address counts for rate limits; without a proxy anyone could claim any.
    trustProxy: false,
    routerOptions: { maxParamLength: 200 },
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(env), adapter, {
    bodyParser: false,
    bufferLogs: true,
    // Errors while starting are thrown to main, which names them; the process never aborts by itself.
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  const server = adapter.getInstance();
  registerBodyParsers(server);
  registerRequestHooks(server, env);
  logRequests(server, await app.resolve(PinoLogger));
  app.useGlobalPipes(validationPipe());
  app.useGlobalFilters(new ProblemFilter(app.get(BodyRefusals)));
  app.enableShutdownHooks();
  boundDrain(server, env.HCP_DRAIN_MS);
  mountDocs(app, env);
  await app.init();
  await server.ready();
  return app;
}

/** A stream of events never ends by itself: whoever is still connected after this long is cut off (SPEC R3). */
function boundDrain(server: FastifyInstance, drain_ms: number): void {
  server.addHook('preClose', async () => {
    setTimeout(() => server.server.closeAllConnections(), drain_ms).unref();
  });
}
