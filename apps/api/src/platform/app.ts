import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Logger, PinoLogger } from 'nestjs-pino';
import { AppModule } from '../app.module.js';
import { readBuild } from '../dashboard/build.js';
import { serveDashboard } from '../dashboard/serve.js';
import { BodyRefusals } from './body-refusals.js';
import { proxyWarning, type Env } from './env.js';
import { logRequests } from './logging.js';
import { MAX_JSON_BYTES, registerBodyParsers } from './json-body.js';
import { mountDocs } from './openapi.js';
import { mountPackSchemas } from './pack-schemas.js';
import { notFound, problemBody, ProblemError } from './problem.js';
import { ProblemFilter } from './problem.filter.js';
import { recognizeBeforeBody } from './recognition.js';
import { Recognizer } from './recognizer.js';
import { registerRequestHooks } from './request-hooks.js';
import { withFilesSlash } from './route-finder.js';
import { validationPipe } from './validation.js';

/** For a request to arrive whole: a pack archive or a file over a slow line, and no trickle without end. */
const REQUEST_TIMEOUT_MS = 300_000;
/** For a connection on which nothing moves; longer than a call may wait for its run. Streams are exempt. */
const IDLE_TIMEOUT_MS = 180_000;

/** Beside the API's own build. */
const DASHBOARD_DIR = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

/** Builds the whole API, ready to listen: `await app.listen(port, host)`. Tests start it the same way. */
export async function createApp(env: Env): Promise<NestFastifyApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: MAX_JSON_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    // Ids are ours, so that nobody can forge another request's in the logs.
    genReqId: () => randomUUID(),
    // The address counts for rate limits; believed from anyone, it could be any.
    trustProxy: env.HCP_TRUSTED_PROXIES.length > 0 ? env.HCP_TRUSTED_PROXIES : false,
    routerOptions: { maxParamLength: 200 },
    rewriteUrl: ({ url = '/' }) => withFilesSlash(url),
    // A URL that the router cannot read reaches no filter, and Fastify's own answer repeats it.
    frameworkErrors: (error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
      const status = error.statusCode === 404 ? 404 : 400;
      const problem = status === 404 ? notFound() : new ProblemError(400, 'invalid_request', 'the URL is not valid');
      void reply.status(status).type('application/problem+json').send(problemBody(problem));
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(env), adapter, {
    bodyParser: false,
    bufferLogs: true,
    // Errors while starting are thrown to main, which names them; the process never aborts by itself.
    abortOnError: false,
  });
  app.useLogger(app.get(Logger));
  const warning = proxyWarning(env);
  if (warning !== null) app.get(Logger).warn(warning, 'start');
  const server = adapter.getInstance();
  registerBodyParsers(server);
  registerRequestHooks(server, env);
  const dashboard = await readBuild(env.HCP_DASHBOARD_DIR ?? DASHBOARD_DIR);
  if (dashboard) serveDashboard(server, dashboard);
  recognizeBeforeBody(server, app.get(Recognizer));
  logRequests(server, await app.resolve(PinoLogger));
  app.useGlobalPipes(validationPipe());
  app.useGlobalFilters(new ProblemFilter(app.get(BodyRefusals), env.PUBLIC_URL));
  app.enableShutdownHooks();
  boundDrain(server, env.HCP_DRAIN_MS);
  mountDocs(app, env);
  mountPackSchemas(app);
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
