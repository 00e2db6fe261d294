import { mcpToolName } from '../../mcp/name.js';
import type { Manifest } from '../manifest.js';
import { operationsOf, own, type Operation } from '../openapi/operations.js';
import type { Policy, PolicyRow } from '../policy.js';
import type { Command } from '../surface.js';
import { classify } from './classify.js';
import { prose } from './clean.js';
import type { Draft } from './draft-pack.js';
import { draftSkill } from './draft-skill.js';
import { verbKeyOf } from './names.js';

/** Commands of one draft; more cannot be looked over. */
export const MAX_API_COMMANDS = 500;

export interface ApiDraftRequest {
  readonly pack_id: string;
  readonly name: string;
  /** The OpenAPI document, parsed. */
  readonly document: unknown;
}

/**
 * Drafts a pack from an OpenAPI document (SPEC P6, W7): one command for each operation that has an operationId. What reads is
 * told by the method, what asks by the names, and is a guess. Arguments are the operation's, so the draft writes none.
 */
export function draftApiPack({ pack_id, name, document }: ApiDraftRequest): Draft {
  const commands: Record<string, Command> = {};
  const rows: Policy['commands'] = {};
  const notes: string[] = [];
  const tools = new Set<string>();
  for (const operation of operationsOf(document)) {
    const { operation_id } = operation;
    const verb_key = verbKeyOf([operation_id.replace(/([a-z0-9])([A-Z])/g, '$1-$2')]);
    const tool = mcpToolName(pack_id, verb_key);
    if (tools.has(tool)) notes.push(`${operation_id}: left out, its name is that of another command`);
    else if (tools.size === MAX_API_COMMANDS) {
      notes.push(`${operation_id}: left out, a draft has ${MAX_API_COMMANDS} commands`);
    } else {
      tools.add(tool);
      commands[verb_key] = { description: describe(operation), operation_id };
      rows[verb_key] = { ...policyOf(operation, verb_key), privacy: { land: 'personal' } };
    }
  }
  const signs_in = own(own(document, 'components'), 'securitySchemes') !== undefined;
  const manifest: Manifest = {
    pack_id,
    name,
    version: '0.1.0',
    description: prose(textOf(own(own(document, 'info'), 'description')), 500) || `Calls the API ${name}.`,
    kind: 'openapi',
    binding: { family: signs_in ? 'user' : 'public' },
  };
  const policy: Policy = { commands: rows };
  const skill = draftSkill(name, manifest.description, { commands }, policy);
  return { manifest, surface: { commands }, policy, skill, notes };
}

function describe({ operation, method, path }: Operation): string {
  const said = textOf(own(operation, 'summary')) || textOf(own(operation, 'description'));
  return prose(said, 300) || `${method} ${path}`;
}

function policyOf({ method }: Operation, verb_key: string): Pick<PolicyRow, 'operation' | 'confirm'> {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return { operation: 'read', confirm: false };
  const { confirm } = classify(verb_key, method === 'DELETE');
  return { operation: 'write', confirm };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
