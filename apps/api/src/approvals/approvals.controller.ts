import { Body, Controller, Inject, Param, Query } from '@nestjs/common';
import {
  approve,
  getApproval,
  listApprovals,
  reject,
  type Answer,
  type ApprovalDeps,
  type ApprovalRefusalCode,
  type Decided,
} from '@hcp/approvals';
import {
  approveSchema,
  execRequestSchema,
  getApprovalQuerySchema,
  idParamsSchema,
  listApprovalsQuerySchema,
  rejectSchema,
  type Approval,
  type Approve,
  type ExecPreview,
  type ExecRequest,
  type GetApprovalQuery,
  type ListApprovalsQuery,
  type Page,
  type Reject,
} from '@hcp/contracts';
import { parseEnvelope, type Caller } from '@hcp/core';
import { Exec } from '@hcp/runs';
import { Followers } from '../events/followers.js';
import { CurrentCaller } from '../platform/metadata.js';
import { notFound, ProblemError } from '../platform/problem.js';
import { Route } from '../platform/route.js';
import { APPROVALS } from './tokens.js';

/** A person's yes to one exact call (SPEC V), and the card alone (SPEC C6). */
@Controller()
export class ApprovalsController {
  constructor(
    @Inject(APPROVALS) private readonly approvals: ApprovalDeps,
    @Inject(Exec) private readonly exec: Exec,
    @Inject(Followers) private readonly followers: Followers,
  ) {}

  @Route('exec_preview')
  async preview(
    @CurrentCaller() caller: Caller,
    @Body({ schema: execRequestSchema }) body: ExecRequest,
  ): Promise<ExecPreview> {
    const parsed = parseEnvelope(body);
    if (!parsed.ok) {
      const { error } = parsed.denial;
      throw new ProblemError(400, 'invalid_request', error, [{ path: '', message: error }]);
    }
    return this.exec.preview(caller, parsed.envelope);
  }

  @Route('approvals_list')
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listApprovalsQuerySchema }) query: ListApprovalsQuery,
  ): Promise<Page<Approval>> {
    return listApprovals(this.approvals, caller, query, new Date());
  }

  @Route('approvals_get')
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Query({ schema: getApprovalQuerySchema }) { full }: GetApprovalQuery,
  ): Promise<Approval> {
    return valueOf(await getApproval(this.approvals, caller, id, { now: new Date(), full: full === '1' }));
  }

  @Route('approvals_approve')
  async approve(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: approveSchema }) body: Approve,
  ): Promise<Approval> {
    const decided: Decided = valueOf(await approve(this.approvals, caller, id, body, new Date()));
    const { approval, started } = decided;
    if (started?.ok) await this.exec.enqueue(caller.tenant_id, started.run_id);
    this.followers.wake(caller.tenant_id);
    return approval;
  }

  @Route('approvals_reject')
  async reject(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
    @Body({ schema: rejectSchema }) body: Reject,
  ): Promise<Approval> {
    const { approval } = valueOf(await reject(this.approvals, caller, id, body, new Date()));
    this.followers.wake(caller.tenant_id);
    return approval;
  }
}

const STATUS: Readonly<Record<ApprovalRefusalCode, number>> = {
  human_only: 403,
  missing_capability: 403,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  invalid_request: 400,
};

function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value;
  if (answer.code === 'not_found') throw notFound();
  throw new ProblemError(STATUS[answer.code], answer.code, answer.detail, answer.errors);
}
