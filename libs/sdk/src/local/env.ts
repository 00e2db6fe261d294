import { homedir } from 'node:os';
import { join } from 'node:path';
import { APPROVALS, MODES } from '@hcp/core';
import { HcpError } from '../errors.js';
import type { LocalEnv } from './options.js';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The variables of the protocol's reference runtime.
 * @throws HcpError `invalid_request` for a word that means nothing: looser than was meant, something might run
 */
export function readLocalEnv(given?: Variables): LocalEnv {
  // The driver is the process's own runtime, as hcpx is: a host that forgets to hand these on must not loosen them.
  // eslint-disable-next-line no-restricted-properties
  const variables = given ?? process.env;
  const text = (name: string): string | null => variables[name] || null;
  const agent = text('HCP_AGENT');
  return {
    home: text('HCP_HOME'),
    mode: wordOf('HCP_MODE', text('HCP_MODE'), MODES),
    approvals: wordOf('HCP_APPROVALS', text('HCP_APPROVALS'), APPROVALS),
    // Any value but 0 counts, so that a slip stays strict.
    agent: agent !== null && agent !== '0',
  };
}

function wordOf<Word extends string>(name: string, given: string | null, words: readonly Word[]): Word | null {
  const word = words.find((each) => each === given) ?? null;
  if (given === null || word !== null) return word;
  throw new HcpError({
    code: 'invalid_request',
    status: 0,
    message: `${name} must be ${words.join(' or ')}, or unset`,
  });
}

/** Where things are kept. */
export const homeOf = (given: string | undefined, env: LocalEnv): string =>
  given ?? env.home ?? join(homedir(), '.config', 'hcp');
