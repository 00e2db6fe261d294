import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Params, PinoLogger } from 'nestjs-pino';
import type { Env } from './env.js';

/** Fields that never reach a log, wherever in a record they are. */
const SECRETS = ['authorization', 'cookie', 'password', 'secret', 'token', 'access_token', 'refresh_token', 'key'];

/** Structured logs, one JSON object a line. Requests are logged by `logRequests`, not by the library's middleware. */
export function loggingParams(env: Pick<Env, 'LOG_LEVEL'>): Params {
  return {
    pinoHttp: {
      level: env.LOG_LEVEL,
      autoLogging: false,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
    },
    forRoutes: [],
  };
}

/** One line a request with its id: the path without query string, which may hold what a person typed; no bodies, no headers. */
export function logRequests(server: FastifyInstance, logger: PinoLogger): void {
  server.addHook('onResponse', async (request: FastifyRequest, reply: FastifyReply) => {
    const status = reply.statusCode;
    const line = {
      request_id: request.id,
      method: request.method,
      path: request.url.split('?', 1)[0],
      status,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      ...(request.caller ? { tenant_id: request.caller.tenant_id, principal_id: request.caller.principal.id } : {}),
    };
    if (status >= 500) logger.error(line, 'request');
    else logger.info(line, 'request');
  });
}
