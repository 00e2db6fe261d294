import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Params } from 'nestjs-pino';
import type { Env } from './env.js';

/** Fields that never reach a log, wherever in a record they are. */
const SECRETS = ['authorization', 'cookie', 'password', 'secret', 'token', 'access_token', 'refresh_token', 'key'];

/** Structured logs: one line a request with its id, without query string, bodies, and headers. */
export function loggingParams(env: Pick<Env, 'LOG_LEVEL'>): Params {
  return {
    pinoHttp: {
      level: env.LOG_LEVEL,
      redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[redacted]' },
      // Fastify has given the request its id already, and the answer carries it.
      genReqId: (request: IncomingMessage) => (request as IncomingMessage & { id?: string }).id ?? '',
      quietReqLogger: true,
      customAttributeKeys: { reqId: 'request_id' },
      customProps: () => ({}),
      serializers: {
        req: (request: { id: unknown; method: string; url: string }) => ({
          method: request.method,
          // A query string may hold what a person typed; the path names only ids.
          path: request.url.split('?', 1)[0],
        }),
        res: (response: ServerResponse) => ({ status: response.statusCode }),
      },
      customLogLevel: (_request: IncomingMessage, response: ServerResponse, error?: Error) =>
        error || response.statusCode >= 500 ? 'error' : 'info',
    },
  };
}
