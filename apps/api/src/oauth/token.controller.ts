import type { OAuthTokens, RegisteredClient } from '@hcp/contracts';
import { OAuthClients, OAuthGrants, type OAuthOutcome } from '@hcp/tenancy';
import { Body, Controller, Inject, Req, UseFilters } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Form } from '../platform/form-body.js';
import { FailureLimits } from '../platform/rate-limits.js';
import { Route } from '../platform/route.js';
import { OAuthErrorFilter, OAuthRefused } from './refusals.js';

/** What a client calls itself: registration, tokens, revocation. */
@Controller()
@UseFilters(OAuthErrorFilter)
export class OAuthTokenController {
  constructor(
    @Inject(OAuthClients) private readonly clients: OAuthClients,
    @Inject(OAuthGrants) private readonly grants: OAuthGrants,
    @Inject(FailureLimits) private readonly limits: FailureLimits,
  ) {}

  @Route('oauth_register')
  async register(@Body() body: unknown, @Req() request: FastifyRequest): Promise<RegisteredClient> {
    await this.limits.takeClient(request.ip);
    return given(await this.clients.register(body));
  }

  @Route('oauth_token')
  async token(@Body() body: Form | undefined, @Req() request: FastifyRequest): Promise<OAuthTokens> {
    const outcome = await this.grants.token(body ?? {});
    if (!outcome.ok) await this.limits.keyFailed(null, request.ip);
    return given(outcome);
  }

  @Route('oauth_revoke')
  async revoke(@Body() body: Form | undefined, @Req() request: FastifyRequest): Promise<object> {
    const outcome = await this.grants.revoke(body ?? {});
    if (!outcome.ok) await this.limits.keyFailed(null, request.ip);
    given(outcome);
    return {};
  }
}

function given<T>(outcome: OAuthOutcome<T>): T {
  if (!outcome.ok) throw new OAuthRefused(outcome);
  return outcome.value;
}
