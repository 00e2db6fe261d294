import type { CommandAccess } from '../access/command-access.js';
import type { Pack } from '../packs/pack.js';
import type { PolicyRow } from '../packs/policy.js';
import type { Command, JsonSchema } from '../packs/surface.js';
import { escapeInvisible } from '../text/unicode.js';
import { toolInputSchema } from './input-schema.js';
import { mcpToolName } from './name.js';

/** A command as the caller may run it now. */
export interface ToolCommand {
  readonly pack: Pick<Pack, 'manifest'>;
  readonly verb_key: string;
  readonly command: Command;
  readonly row: PolicyRow;
  readonly access: CommandAccess;
}

/** What `tools/list` says of a command. The names are the protocol's. */
export interface CommandTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
  };
  readonly _meta: {
    readonly 'hcp/pack_id': string;
    readonly 'hcp/verb_key': string;
    readonly 'hcp/access': 'allow' | 'ask';
  };
}

/**
 * The tool of a command, or null where it is denied: an agent is not shown what it cannot run (SPEC I2, A9). Hints come
 * from the policy row; a client must not take them for a promise, nor does anything here.
 */
export function commandTool({ pack, verb_key, command, row, access }: ToolCommand): CommandTool | null {
  if (access.access === 'deny') return null;
  const { manifest } = pack;
  const { pack_id } = manifest;
  const asks = access.access === 'ask';
  const title = escapeInvisible(`${manifest.name}: ${verb_key}`);
  return {
    name: mcpToolName(pack_id, verb_key),
    title,
    description: [`${escapeInvisible(command.description)}`, ...(asks ? [asking(access.reason)] : [])].join('\n\n'),
    inputSchema: { ...toolInputSchema(manifest, command, asks || row.confirm !== false), type: 'object' },
    annotations: {
      title,
      readOnlyHint: row.operation === 'read',
      destructiveHint: row.operation !== 'read' && row.confirm !== false,
      idempotentHint: command.idempotent ?? row.operation === 'read',
    },
    _meta: { 'hcp/pack_id': pack_id, 'hcp/verb_key': verb_key, 'hcp/access': asks ? 'ask' : 'allow' },
  };
}

const asking = (reason: string | null): string =>
  `Asks a person first${reason === null ? '' : ` (${escapeInvisible(reason)})`}: the call answers confirm_required with an ` +
  'approval_id and runs nothing. Tell the person, wait with hcp_status, and once it is approved call again with the same ' +
  'arguments; once it is rejected, stop.';
