import { Body, Controller, Inject, Param, Query, Req } from '@nestjs/common';
import {
  acceptInvitationSchema,
  createInvitationSchema,
  idParamsSchema,
  listInvitationsQuerySchema,
  type AcceptedInvitation,
  type AcceptInvitation,
  type CreatedInvitation,
  type CreateInvitation,
  type Invitation,
  type Page,
  type ListInvitationsQuery,
} from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { acceptInvitation, createInvitation, listInvitations, revokeInvitation, type LinkDeps } from '@hcp/tenancy';
import type { FastifyRequest } from 'fastify';
import { CurrentCaller } from '../platform/metadata.js';
import { FailureLimits } from '../platform/rate-limits.js';
import { Route } from '../platform/route.js';
import { LINKS } from '../platform/tokens.js';
import { unwrap } from '../platform/unwrap.js';

@Controller()
export class InvitationsController {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(LINKS) private readonly links: LinkDeps,
    @Inject(FailureLimits) private readonly limits: FailureLimits,
  ) {}

  @Route('invitations_create', { scoped: true })
  async create(
    @CurrentCaller() caller: Caller,
    @Body({ schema: createInvitationSchema }) body: CreateInvitation,
  ): Promise<CreatedInvitation> {
    return unwrap(await createInvitation({ db: this.db, ...this.links }, caller, body));
  }

  @Route('invitations_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listInvitationsQuerySchema }) query: ListInvitationsQuery,
  ): Promise<Page<Invitation>> {
    return unwrap(await listInvitations(this.db, caller, query));
  }

  @Route('invitations_delete', { scoped: true })
  async remove(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<void> {
    unwrap(await revokeInvitation(this.db, caller, id));
  }

  @Route('invitations_accept')
  async accept(
    @Body({ schema: acceptInvitationSchema }) body: AcceptInvitation,
    @Req() request: FastifyRequest,
  ): Promise<AcceptedInvitation> {
    await this.limits.takeLink(request.ip);
    const attempts = {
      take: (email: string) => this.limits.takeLogin(email, request.ip),
      succeeded: (email: string) => this.limits.loginSucceeded(email, request.ip),
    };
    return unwrap(await acceptInvitation(this.db, body, attempts));
  }
}
