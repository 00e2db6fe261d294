import { Body, Controller, Inject, Req, Res } from '@nestjs/common';
import { signInSchema, type BrowserSession, type SignIn as SignInBody } from '@hcp/contracts';
import { SignIn, type IssuedTokens } from '@hcp/tenancy';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BrowserSessions } from '../platform/browser-session.js';
import { notOwnPage, ProblemError } from '../platform/problem.js';
import { FailureLimits } from '../platform/rate-limits.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';

/** The dashboard's way in and out: the same sessions as everywhere, with the tokens where no script reads them. */
@Controller()
export class BrowserController {
  constructor(
    @Inject(SignIn) private readonly sign_in: SignIn,
    @Inject(FailureLimits) private readonly limits: FailureLimits,
    @Inject(BrowserSessions) private readonly browsers: BrowserSessions,
  ) {}

  @Route('auth_browser_sign_in')
  async signIn(
    @Body({ schema: signInSchema }) body: SignInBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BrowserSession> {
    // Else another site could sign somebody in as the attacker, and see what they then do.
    this.ownPage(request);
    await this.limits.takeLogin(body.email, request.ip);
    const outcome = await this.sign_in.signIn(body);
    // The password was right also where a tenant has to be named first.
    if (outcome.ok || outcome.code === 'tenant_required') await this.limits.loginSucceeded(body.email, request.ip);
    const tokens = unwrap(outcome);
    const before = this.browsers.read(request, 'refresh');
    if (before !== null) await this.sign_in.signOutBy(before);
    return this.give(reply, tokens);
  }

  @Route('auth_browser_renew')
  async renew(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BrowserSession> {
    this.ownPage(request);
    const token = this.browsers.read(request, 'refresh');
    if (token === null) throw new ProblemError(401, 'invalid_credentials', 'no session to renew; sign in');
    const outcome = await this.sign_in.refresh(token);
    if (!outcome.ok) this.browsers.clear(reply);
    return this.give(reply, unwrap(outcome));
  }

  @Route('auth_browser_sign_out')
  async signOut(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    this.ownPage(request);
    const token = this.browsers.read(request, 'refresh');
    if (token !== null) await this.sign_in.signOutBy(token);
    this.browsers.clear(reply);
  }

  private ownPage(request: FastifyRequest): void {
    if (!this.browsers.fromOwnPage(request)) throw notOwnPage();
  }

  private give(reply: FastifyReply, tokens: IssuedTokens): BrowserSession {
    this.browsers.give(reply, tokens);
    const { tenant_id, expires_in, session_ends } = tokens;
    return { tenant_id, expires_in, session_expires_at: session_ends.toISOString() };
  }
}
