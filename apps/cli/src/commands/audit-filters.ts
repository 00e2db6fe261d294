import type { ListAuditQuery } from '@hcp/contracts';
import { type Command, Option } from 'commander';
import type { CommonOptions } from '../context.js';

/** Which events: the same words wherever some of the log are asked for. */
export interface AuditFilterOptions extends CommonOptions {
  readonly pack?: string;
  readonly principal?: string;
  readonly action?: string;
  readonly decision?: 'allow' | 'ask' | 'deny';
  readonly run?: string;
  readonly from?: string;
  readonly to?: string;
}

export const withFilters = (command: Command): Command =>
  command
    .option('--pack <id>', 'of one pack')
    .option('--principal <id>', 'of one principal')
    .option('--action <name>', 'such as exec.decision')
    .addOption(new Option('--decision <decision>', 'one kind of decision').choices(['allow', 'ask', 'deny']))
    .option('--run <id>', 'of one run')
    .option('--from <time>', 'RFC 3339, inclusive')
    .option('--to <time>', 'RFC 3339, exclusive');

export const filtersOf = (options: AuditFilterOptions): Omit<ListAuditQuery, 'limit' | 'cursor'> => ({
  pack_id: options.pack,
  principal_id: options.principal,
  action: options.action,
  decision: options.decision,
  run_id: options.run,
  from: options.from,
  to: options.to,
});
