import { Readable } from 'node:stream';
import { Controller, Inject, Param, Query, StreamableFile } from '@nestjs/common';
import {
  currentCheckpoint,
  exportLog,
  listAudit,
  proveConsistency,
  proveEvent,
  readEvent,
  type AuditItem,
  type LogDeps,
} from '@hcp/audit';
import {
  auditConsistencyQuerySchema,
  exportAuditQuerySchema,
  idParamsSchema,
  LINES_TYPE,
  listAuditQuerySchema,
  type AuditCheckpoint,
  type AuditConsistency,
  type AuditConsistencyQuery,
  type AuditEvent,
  type AuditKey as AuditKeyAnswer,
  type AuditProof,
  type ExportAuditQuery,
  type ListAuditQuery,
  type Page,
} from '@hcp/contracts';
import { toBase64, type Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { AuditKey } from '@hcp/tenancy';
import { CurrentCaller } from '../platform/metadata.js';
import { OpenStreams } from '../platform/open-streams.js';
import { notFound, ProblemError } from '../platform/problem.js';
import { Route } from '../platform/route.js';
import { mayReadEvent, readableProject } from './visible.js';

/** The audit log and what proves it (SPEC U3, U4). */
@Controller()
export class AuditController {
  readonly #log: LogDeps;

  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(AuditKey) private readonly key: AuditKey,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {
    this.#log = { db, key: () => key.current() };
  }

  @Route('audit_list', { scoped: true })
  async list(
    @CurrentCaller() caller: Caller,
    @Query({ schema: listAuditQuerySchema }) query: ListAuditQuery,
  ): Promise<Page<AuditEvent>> {
    const { from, to, ...filters } = query;
    const project_id = readableProject(caller, filters);
    const page = await this.db.tenant(caller.tenant_id, (tx) =>
      listAudit(tx, { ...filters, ...(project_id === undefined ? {} : { project_id }), since: from, until: to }),
    );
    if (!page) throw invalid('/cursor', 'is no cursor of this list');
    return page as Page<AuditEvent>;
  }

  /** What the caller may not see of the log is in it as hashes. */
  @Route('audit_export', { scoped: true })
  async export(
    @CurrentCaller() caller: Caller,
    @Query({ schema: exportAuditQuerySchema }) query: ExportAuditQuery,
  ): Promise<StreamableFile> {
    const { from, to, ...filters } = query;
    const project_id = readableProject(caller, filters);
    if (filters.start !== undefined && filters.end !== undefined && filters.start > filters.end) {
      throw invalid('/end', 'must not be before start');
    }
    const request = { ...filters, ...(project_id === undefined ? {} : { project_id }), since: from, until: to };
    const lines = exportLog(this.#log, caller.tenant_id, request, () => new Date());
    // The first of it before the answer begins: what cannot be read at all is a refusal and no broken file.
    const release = this.streams.hold(caller);
    const first = await lines.next().catch((error: unknown) => {
      release();
      throw error;
    });
    const stream = Readable.from(after(first, lines), { objectMode: false, highWaterMark: 1 });
    stream.once('close', release);
    const name = `hcp-audit-${new Date().toISOString().slice(0, 10)}.ndjson`;
    return new StreamableFile(stream, { type: LINES_TYPE, disposition: `attachment; filename="${name}"` });
  }

  @Route('audit_checkpoint', { scoped: true })
  checkpoint(@CurrentCaller() caller: Caller): Promise<AuditCheckpoint> {
    return currentCheckpoint(this.#log, caller.tenant_id, new Date());
  }

  @Route('audit_consistency', { scoped: true })
  async consistency(
    @CurrentCaller() caller: Caller,
    @Query({ schema: auditConsistencyQuerySchema }) query: AuditConsistencyQuery,
  ): Promise<AuditConsistency> {
    if (query.to !== undefined && query.from > query.to) throw invalid('/to', 'must not be smaller than from');
    const proof = await proveConsistency(this.#log, caller.tenant_id, query);
    if (proof) return proof;
    const larger = query.to === undefined ? '/from' : '/to';
    throw invalid(larger, 'must not be larger than the log: it would be of another one, or this one was rolled back');
  }

  @Route('audit_key')
  async publicKey(): Promise<AuditKeyAnswer> {
    const { log_name, public_key } = await this.key.current();
    return { log_name, public_key: toBase64(new Uint8Array([1, ...public_key])) };
  }

  @Route('audit_get', { scoped: true })
  async get(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<AuditEvent> {
    return (await this.#readable(caller, id)) as AuditEvent;
  }

  @Route('audit_proof', { scoped: true })
  async proof(
    @CurrentCaller() caller: Caller,
    @Param({ schema: idParamsSchema }) { id }: { id: string },
  ): Promise<AuditProof> {
    await this.#readable(caller, id);
    const proof = await proveEvent(this.#log, caller.tenant_id, id, new Date());
    if (!proof) throw notFound();
    return proof;
  }

  async #readable(caller: Caller, id: string): Promise<AuditItem> {
    const event = await this.db.tenant(caller.tenant_id, (tx) => readEvent(tx, caller.tenant_id, id));
    if (!event || !mayReadEvent(caller, event)) throw notFound();
    return event;
  }
}

const invalid = (path: string, message: string): ProblemError =>
  new ProblemError(400, 'invalid_request', 'the request is not valid', [{ path, message }]);

async function* after(first: IteratorResult<string, void>, rest: AsyncGenerator<string, void>): AsyncGenerator<string> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
