import type { OAuthError } from '@hcp/contracts';
import type { OAuthErrorCode, OAuthFailure } from '@hcp/tenancy';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { JsonBodyError } from '../platform/json-body.js';
import { ProblemError } from '../platform/problem.js';
import { refusalPage, sendPage } from './pages.js';

/** RFC 6749 section 5.2: 400 but for who is no client. */
const STATUS: Partial<Record<OAuthErrorCode, number>> = { invalid_client: 401, temporarily_unavailable: 503 };

/** A refusal on its way to the filter that writes it as the route has it. */
export class OAuthRefused extends Error {
  override readonly name = 'OAuthRefused';
  readonly status: number;

  constructor(readonly failure: OAuthFailure) {
    super(failure.detail);
    this.status = STATUS[failure.error] ?? 400;
  }
}

type Refused = OAuthRefused | ProblemError | JsonBodyError;

/** As programs read it (RFC 6749, 7591, 7009). */
@Catch(OAuthRefused, ProblemError, JsonBodyError)
export class OAuthErrorFilter implements ExceptionFilter<Refused> {
  catch(refused: Refused, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const body: OAuthError = { error: codeOf(refused), error_description: detailOf(refused) };
    void retryAfter(reply, refused).status(refused.status).type('application/json').send(body);
  }
}

/** As people read it. */
@Catch(OAuthRefused, ProblemError, JsonBodyError)
export class RefusalPageFilter implements ExceptionFilter<Refused> {
  catch(refused: Refused, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    void sendPage(retryAfter(reply, refused), { status: refused.status, body: refusalPage(detailOf(refused)) });
  }
}

function codeOf(refused: Refused): string {
  if (refused instanceof OAuthRefused) return refused.failure.error;
  if (refused.status < 429) return 'invalid_request';
  return 'temporarily_unavailable';
}

const detailOf = (refused: Refused): string => (refused instanceof ProblemError ? refused.detail : refused.message);

function retryAfter(reply: FastifyReply, refused: Refused): FastifyReply {
  const wait_ms = refused instanceof ProblemError ? refused.extras.retry_after_ms : undefined;
  return wait_ms === undefined ? reply : reply.header('Retry-After', String(Math.ceil(wait_ms / 1000)));
}
