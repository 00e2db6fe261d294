import { CAPABILITIES, type Capability, type Grant } from '@hcp/core';
import { usage } from '../failure.js';

export const GRANT_HELP =
  '\nA grant is a capability, then the pack and commands it is for, if not all: verb.exec.read, ' +
  'verb.exec.write:ledger, verb.exec.write:ledger:pay,refund.';

export type WireGrant = Omit<Grant, 'verb_keys'> & { verb_keys?: string[] };

/** Reads `capability[:pack[:command,command]]`. */
export function parseGrant(text: string): WireGrant {
  const [capability = '', pack_id, commands, ...rest] = text.split(':');
  if (rest.length > 0 || pack_id === '' || commands === '') throw usage(`${text} is no grant`, GRANT_HELP.trim());
  return {
    capability: capabilityOf(capability),
    ...(pack_id === undefined ? {} : { pack_id }),
    ...(commands === undefined ? {} : { verb_keys: commands.split(',') }),
  };
}

export function capabilityOf(text: string): Capability {
  const found = CAPABILITIES.find((one) => one === text);
  if (!found) throw usage(`${text} is no capability`, `One of ${CAPABILITIES.join(', ')}.`);
  return found;
}

/** The same in words, for tables. */
export function grantText(grant: Grant): string {
  const { capability, pack_id, verb_keys, project_id, expires_at } = grant;
  const where = [pack_id, verb_keys?.join(',')].filter((part) => part !== undefined);
  const bounds = [
    project_id === undefined ? '' : ` in ${project_id}`,
    expires_at === undefined ? '' : ` until ${expires_at}`,
  ];
  return [capability, ...where].join(':') + bounds.join('');
}
