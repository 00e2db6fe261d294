import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { KeysUnavailable } from '@hcp/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BodyRefusals } from './body-refusals.js';
import { JsonBodyError, wrongType } from './json-body.js';
import { advise } from './advice.js';
import { challenge } from './challenge.js';
import { codeForStatus, noRoute, notFound, problemBody, ProblemError, wrongMethod } from './problem.js';
import { methodsOf } from './route-finder.js';

/** Turns every error into an answer that says what to do and gives nothing away (SPEC I1). */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #logger = new Logger('errors');

  constructor(
    private readonly refusals: BodyRefusals,
    private readonly public_url: string,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // The answer has begun (a stream): nothing can be said any more.
    if (reply.sent || reply.raw.headersSent) return;
    const error = bodyRefusal(thrown, request) ?? unrouted(request, reply) ?? thrown;
    if (error instanceof JsonBodyError) {
      const render = this.refusals.for(request.routeOptions?.url);
      if (render) {
        const { status, body } = render(error);
        void reply.status(status).type('application/json').send(body);
        return;
      }
    }
    const problem = advise(toProblem(error), request);
    if (problem.status >= 500) {
      // For the operator: the cause with its stack, under the request's id. The caller learns nothing of it.
      this.#logger.error({ err: thrown, request_id: request.id, code: problem.code }, 'request failed');
    }
    if (problem.extras.retry_after_ms !== undefined) {
      void reply.header('Retry-After', String(Math.ceil(problem.extras.retry_after_ms / 1000)));
    }
    if (problem.status === 401) void reply.header('WWW-Authenticate', challenge(request, this.public_url));
    void reply.status(problem.status).type('application/problem+json').send(problemBody(problem));
  }
}

/** Fastify's own refusals of a body, in our words. */
function bodyRefusal(thrown: unknown, request: FastifyRequest): JsonBodyError | undefined {
  switch ((thrown as { code?: unknown } | null)?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new JsonBodyError(413, [], 'is too large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return wrongType(request);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new JsonBodyError(400, [], 'does not have the announced length');
    default:
      return undefined;
  }
}

/**
 * No route took the request. Which paths and methods there are is public (`/openapi.json`), so that this is said to
 * anyone; where the method is one the path takes, the name in it was none, and that looks like any thing there is not.
 */
function unrouted(request: FastifyRequest, reply: FastifyReply): ProblemError | undefined {
  if (!request.is404) return undefined;
  const methods = methodsOf(request.url);
  if (methods.length === 0) return noRoute();
  if (methods.includes(request.method)) return notFound();
  void reply.header('Allow', methods.join(', '));
  return wrongMethod(methods);
}

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof JsonBodyError) {
    const errors = [{ path: error.pointer, message: error.why }];
    return new ProblemError(error.status, codeForStatus(error.status), error.message, errors);
  }
  if (error instanceof KeysUnavailable) {
    return new ProblemError(503, 'unavailable', 'the key that this needs cannot be opened now');
  }
  const status = statusOf(error);
  if (status === 404) return notFound();
  // Messages of unknown errors may quote input; the status alone is safe.
  return new ProblemError(
    status,
    codeForStatus(status),
    status < 500 ? 'the request is not valid' : 'something failed',
  );
}

function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  // Fastify's errors about the request itself (bad URL, bad header) carry a 4xx of their own.
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
