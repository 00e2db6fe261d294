import {
  AccessTokens,
  checkAuthorization,
  clientOf,
  OAuthClients,
  OAuthConsents,
  type OAuthFailure,
  type OAuthOutcome,
} from '@hcp/tenancy';
import { Body, Controller, Inject, Query, Req, Res, UseFilters } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Form } from '../platform/form-body.js';
import { ProblemError } from '../platform/problem.js';
import { FailureLimits } from '../platform/rate-limits.js';
import { Route } from '../platform/route.js';
import { browserFor, browserOf } from './browser-cookie.js';
import { consentPage, loginPage, sendPage } from './pages.js';
import { OAuthRefused, RefusalPageFilter } from './refusals.js';

/** The pages between a client and its code: sign in, then yes or no (SPEC I2). */
@Controller()
@UseFilters(RefusalPageFilter)
export class OAuthAuthorizeController {
  constructor(
    @Inject(OAuthClients) private readonly clients: OAuthClients,
    @Inject(OAuthConsents) private readonly consents: OAuthConsents,
    @Inject(AccessTokens) private readonly tokens: AccessTokens,
    @Inject(FailureLimits) private readonly limits: FailureLimits,
  ) {}

  @Route('oauth_authorize')
  async authorize(
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const client_id = given(clientOf(query));
    const client = given(await this.clients.find(client_id, () => this.limits.takeDocument(request.ip)));
    const asked = given(checkAuthorization(query, client, this.tokens.mcp_resource));
    const ticket = await this.consents.begin(browserFor(request, reply, this.tokens.issuer), asked);
    void sendPage(reply, { status: 200, body: loginPage(asked, ticket) });
  }

  @Route('oauth_login')
  async login(
    @Body() body: Form | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { ticket, email = '', password = '' } = body ?? {};
    const browser = browserOf(request, this.tokens.issuer);
    const asked = await this.consents.opened(browser, ticket);
    if (browser === null || ticket === undefined || asked === null) throw new OAuthRefused(OVERDUE);
    const again = (status: number, wrong: string): void =>
      void sendPage(reply, { status, body: loginPage(asked, ticket, wrong) });
    if (email.length > 254 || password.length > 1024) return again(401, WRONG);
    try {
      await this.limits.takeLogin(email, request.ip);
    } catch (refused) {
      if (refused instanceof ProblemError) return again(refused.status, 'Too many failures: wait before trying again.');
      throw refused;
    }
    const outcome = await this.consents.signIn(browser, asked, { email, password });
    if (!outcome.ok) return again(401, WRONG);
    await this.limits.loginSucceeded(email, request.ip);
    void sendPage(reply, { status: 200, body: consentPage(outcome.value), leads_to: asked.redirect_uri });
  }

  @Route('oauth_consent')
  async consent(
    @Body() body: Form | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { ticket, tenant_id, answer } = body ?? {};
    const browser = browserOf(request, this.tokens.issuer);
    const outcome = await this.consents.answer(browser, { ticket, tenant_id, yes: answer === 'yes' });
    const again = outcome.ok || outcome.error !== 'access_denied' ? null : await this.consents.asked(browser, ticket);
    if (again) {
      const body = consentPage(again, 'Choose one of the tenants.');
      void sendPage(reply, { status: 400, body, leads_to: again.request.redirect_uri });
      return;
    }
    void reply.header('Location', given(outcome)).status(303).send();
  }
}

const WRONG = 'Email or password is wrong.';
const OVERDUE: OAuthFailure = {
  ok: false,
  error: 'invalid_request',
  detail: 'this page is no longer good; start again from your program',
};

function given<T>(outcome: OAuthOutcome<T>): T {
  if (!outcome.ok) throw new OAuthRefused(outcome);
  return outcome.value;
}
