import { Inject, Injectable } from '@nestjs/common';
import { getApproval, type ApprovalDeps } from '@hcp/approvals';
import { MCP_TOOLS, type Approval, type McpTool } from '@hcp/contracts';
import { approvalHint, escapeInvisible, HCP_CLI_PACK_ID, parseEnvelope, type Caller } from '@hcp/core';
import { Database } from '@hcp/database';
import { packSkill } from '@hcp/packs';
import { Exec, getNamedRun, isTerminal, outcomeOf, RunWaiter, type NamedRunView, type TenantKeys } from '@hcp/runs';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { z } from 'zod';
import { APPROVALS } from '../approvals/tokens.js';
import { CommandList } from '../commands/command-list.js';
import { Followers } from '../events/followers.js';
import { fieldErrors, sentence, withoutRoute } from '../platform/field-words.js';
import { runAnswer } from '../runs/run-answer.js';
import { KEYS } from '../runs/tokens.js';
import { refusalOf, refused, toolResult } from './result.js';

type Args<T extends McpTool> = z.output<(typeof MCP_TOOLS)[T]['args']>;
type Handlers = { readonly [T in McpTool]: (caller: Caller, args: Args<T>) => Promise<CallToolResult> };

/** What is not there and what is another's look the same (SPEC I1). */
const NOT_FOUND = refused('not_found', 'no such thing, or not yours to see');

/** The tools that look at things; each answers what its route of the API answers. */
@Injectable()
export class OwnTools {
  constructor(
    @Inject(CommandList) private readonly commands: CommandList,
    @Inject(Database) private readonly db: Database,
    @Inject(Exec) private readonly exec: Exec,
    @Inject(KEYS) private readonly keys: TenantKeys,
    @Inject(RunWaiter) private readonly waiter: RunWaiter,
    @Inject(Followers) private readonly followers: Followers,
    @Inject(APPROVALS) private readonly approvals: ApprovalDeps,
  ) {}

  /** Null where there is no such tool of the product's own. */
  async call(caller: Caller, name: string, given: unknown): Promise<CallToolResult | null> {
    return isOwn(name) ? this.run(caller, name, given) : null;
  }

  private async run<T extends McpTool>(caller: Caller, name: T, given: unknown): Promise<CallToolResult> {
    const parsed = MCP_TOOLS[name].args.safeParse(given ?? {});
    if (!parsed.success) {
      const errors = fieldErrors(parsed.error.issues).map(withoutRoute);
      const [first] = errors;
      return refused('invalid_args', `invalid args: ${first ? sentence(first) : 'they are not valid'}`, errors);
    }
    return this.handlers[name](caller, parsed.data as Args<T>).catch(refusalOf);
  }

  private readonly handlers: Handlers = {
    hcp_commands: async (caller, query) => {
      const page = await this.commands.page(caller, query);
      if (!page) return NOT_FOUND;
      const items = page.items.map((item) => ({ ...item, description: escapeInvisible(item.description) }));
      return toolResult({ ...page, items }, true);
    },
    hcp_preview: async (caller, args) => {
      const parsed = parseEnvelope(args);
      if (!parsed.ok) return refused(parsed.denial.code, parsed.denial.error);
      return toolResult(await this.exec.preview(caller, parsed.envelope), true);
    },
    hcp_skill: async (caller, { pack_id = HCP_CLI_PACK_ID, full = false }) => {
      const found = await this.db.tenant(caller.tenant_id, (tx) =>
        packSkill(tx, caller, { pack_id, full }, new Date()),
      );
      if (!found) return NOT_FOUND;
      return toolResult({ ...found, skill: found.skill === null ? null : lines(found.skill) }, true);
    },
    hcp_status: async (caller, { run_id, approval_id, wait_ms = 0, card = false }) => {
      if (approval_id !== undefined) {
        const found = await this.answered(caller, approval_id, wait_ms);
        if (!found) return NOT_FOUND;
        const hint = approvalHint(found.state, found);
        return toolResult({ approval: card ? found : withoutCard(found), hint }, true);
      }
      const view = run_id === undefined ? null : await this.ended(caller, run_id, wait_ms);
      if (!view) return NOT_FOUND;
      return toolResult({ run: runAnswer(view, await outcomeOf(this.keys, view)) }, true);
    },
  };

  /** The request once it waits for nobody or the time is over; null where the caller may not see it. */
  private async answered(caller: Caller, approval_id: string, wait_ms: number): Promise<Approval | null> {
    const look = async (): Promise<Approval | null> => {
      const found = await getApproval(this.approvals, caller, approval_id, { now: new Date(), full: false });
      return found.ok ? found.value : null;
    };
    const watch = this.followers.watch(caller.tenant_id);
    try {
      const first = await look();
      if (first?.state !== 'pending') return first;
      const last = await watch.until(wait_ms, async () => {
        const approval = await look();
        return approval?.state === 'pending' ? null : { approval };
      });
      return last ? last.approval : await look();
    } finally {
      watch.end();
    }
  }

  /** The run once it has ended or the time is over; null where the caller may not see it. */
  private async ended(caller: Caller, run_id: string, wait_ms: number): Promise<NamedRunView | null> {
    const watch = this.waiter.watch(run_id);
    try {
      const first = await getNamedRun(this.db, caller, run_id);
      if (!first || isTerminal(first.run.status)) return first;
      const last = await watch.until(wait_ms, async () => {
        const view = await getNamedRun(this.db, caller, run_id);
        return view && !isTerminal(view.run.status) ? null : { view };
      });
      return last ? last.view : await getNamedRun(this.db, caller, run_id);
    } finally {
      watch.end();
    }
  }
}

const isOwn = (name: string): name is McpTool => Object.hasOwn(MCP_TOOLS, name);

/** Its requester got the card with the ask; whoever looks again and again need not read it each time. */
function withoutCard({
  card: _card,
  card_digest: _digest,
  ...state
}: Approval): Omit<Approval, 'card' | 'card_digest'> {
  return state;
}

/** A text of a pack for an agent: its lines stay, what hides in them does not. */
const lines = (text: string): string => text.split('\n').map(escapeInvisible).join('\n');
