import { Body, Controller, Inject, Req } from '@nestjs/common';
import {
  confirmResetSchema,
  refreshSchema,
  requestResetSchema,
  signInSchema,
  type ConfirmReset,
  type Jwks,
  type Refresh,
  type RequestReset,
  type SignIn as SignInBody,
  type Tokens,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { PasswordReset, SignIn, SigningKeys, type IssuedTokens } from '@hcp/tenancy';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller } from '../platform/metadata.js';
import { FailureLimits } from '../platform/rate-limits.js';
import { Route } from '../platform/route.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class AuthController {
  constructor(
    @Inject(SignIn) private readonly sign_in: SignIn,
    @Inject(PasswordReset) private readonly password_reset: PasswordReset,
    @Inject(SigningKeys) private readonly keys: SigningKeys,
    @Inject(FailureLimits) private readonly limits: FailureLimits,
  ) {}

  @Route('auth_token')
  async token(@Body({ schema: signInSchema }) body: SignInBody, @Req() request: FastifyRequest): Promise<Tokens> {
    await this.limits.takeLogin(body.email, request.ip);
    const outcome = await this.sign_in.signIn(body);
    // The password was right also where a tenant has to be named first.
    if (outcome.ok || outcome.code === 'tenant_required') await this.limits.loginSucceeded(body.email, request.ip);
    return tokensOf(unwrap(outcome));
  }

  @Route('auth_refresh')
  async refresh(@Body({ schema: refreshSchema }) { refresh_token }: Refresh): Promise<Tokens> {
    return tokensOf(unwrap(await this.sign_in.refresh(refresh_token)));
  }

  @Route('auth_logout')
  async logout(@CurrentCaller() caller: Caller): Promise<void> {
    unwrap(await this.sign_in.signOut(caller));
  }

  @Route('auth_reset')
  async reset(
    @Body({ schema: requestResetSchema }) { email }: RequestReset,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.limits.takeReset(email, request.ip);
    await this.password_reset.request(email);
  }

  @Route('auth_reset_confirm')
  async confirmReset(
    @Body({ schema: confirmResetSchema }) body: ConfirmReset,
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.limits.takeLink(request.ip);
    unwrap(await this.password_reset.confirm(body));
  }

  @Route('jwks')
  async jwks(): Promise<Jwks> {
    return (await this.keys.jwks()) as Jwks;
  }
}

const tokensOf = ({ access_token, refresh_token, expires_in, token_type, tenant_id }: IssuedTokens): Tokens => ({
  access_token,
  refresh_token,
  expires_in,
  token_type,
  tenant_id,
});
