import { Controller, Inject, Query } from '@nestjs/common';
import { listAudit } from '@hcp/audit';
import { listAuditQuerySchema, type AuditEvent, type ListAuditQuery, type Page } from '@hcp/contracts';
import { allows, type Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { CurrentCaller } from '../platform/metadata.js';
import { ProblemError } from '../platform/problem.js';
import { Route } from '../platform/route.js';

@Controller()
export class AuditController {
  constructor(@Inject(Database) private readonly db: Database) {}

  /** Who may read the audit of one project or pack only sees what the call is bound to and no other events. */
  @Route('audit_list', { scoped: true })
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listAuditQuerySchema }) query: ListAuditQuery,
  ): Promise<Page<AuditEvent>> {
    const { from, to, ...filters } = query;
    const project_id = caller.session.project_id ?? undefined;
    const scope = { pack_id: filters.pack_id, project_id };
    if (!allows(caller.authority, { capability: 'audit.read', ...scope }, new Date())) {
      throw new ProblemError(403, 'missing_capability', 'denied: missing audit.read');
    }
    const page = await this.db.tenant(caller.tenant_id, (tx) =>
      listAudit(tx, { ...filters, ...(project_id === undefined ? {} : { project_id }), since: from, until: to }),
    );
    if (!page) {
      const errors = [{ path: '/cursor', message: 'is no cursor of this list' }];
      throw new ProblemError(400, 'invalid_request', 'the request is not valid', errors);
    }
    return page as Page<AuditEvent>;
  }
}
