import { Inject, Injectable } from '@nestjs/common';
import {
  commandOfTool,
  commandTool,
  envelopeOfTool,
  parseToolName,
  type Caller,
  type CommandTool,
  type ResultEnvelope,
} from '@hcp/core';
import { Database } from '@hcp/database';
import { loadFacts } from '@hcp/packs';
import { Exec } from '@hcp/runs';
import { CommandList } from '../commands/command-list.js';
import { invalidEnvelope } from '../exec/invalid-envelope.js';

/** Tools on one page of the list. */
const PAGE_SIZE = 200;

/** A call of a tool as it came. */
export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>> | undefined;
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  /** How long to wait where the call says nothing of it. */
  readonly wait_ms: number;
}

/** `unknown`: there is no tool of this name here; `envelope` is what exec said to it, null where it is no name. */
export type Called =
  | { readonly kind: 'answer'; readonly envelope: ResultEnvelope }
  | { readonly kind: 'unknown'; readonly envelope: ResultEnvelope | null };

/** Refusals that say that no such command is here, whether or not it is somewhere else (SPEC E3, step 1). */
const NOT_HERE: ReadonlySet<string> = new Set(['unknown_pack', 'pack_not_activated', 'no_policy']);

/** Every command that a caller may run, as a tool (SPEC I2). */
@Injectable()
export class CommandTools {
  constructor(
    @Inject(CommandList) private readonly commands: CommandList,
    @Inject(Database) private readonly db: Database,
    @Inject(Exec) private readonly exec: Exec,
  ) {}

  /** By pack and verb. @throws ProblemError 400 for a cursor that is none */
  async page(caller: Caller, cursor: string | undefined): Promise<{ tools: CommandTool[]; next: string | null }> {
    const query = { limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
    const page = await this.commands.views(caller, query, ({ access }) => access.access !== 'deny');
    const tools = (page?.items ?? []).flatMap((view) => commandTool(view) ?? []);
    return { tools, next: page?.next_cursor ?? null };
  }

  /** Calls by exec like every other face, so that a refused one is decided and recorded as anywhere (SPEC T2). */
  async call(caller: Caller, { name, args, meta, wait_ms }: ToolCall): Promise<Called> {
    const named = parseToolName(name);
    if (named === null) return { kind: 'unknown', envelope: null };
    const { pack_id } = named;
    const found = await this.verbOf(caller, pack_id, name);
    const parsed = envelopeOfTool({ pack_id, verb_key: found ?? named.verb }, args, meta);
    if (!parsed.ok) {
      if (found === null) return { kind: 'unknown', envelope: null };
      return { kind: 'answer', envelope: { ...invalidEnvelope(parsed.denial), pack_id, verb_key: found } };
    }
    const envelope = await this.exec.exec(caller, parsed.envelope, { wait_ms });
    const unknown = found === null && envelope.code !== undefined && NOT_HERE.has(envelope.code);
    return { kind: unknown ? 'unknown' : 'answer', envelope };
  }

  private async verbOf(caller: Caller, pack_id: string, name: string): Promise<string | null> {
    const { project_id } = caller.session;
    const facts = await this.db.tenant(caller.tenant_id, (tx) => loadFacts(tx, { pack_id, project_id, caller }));
    return facts.pack && commandOfTool(facts.pack, name);
  }
}
