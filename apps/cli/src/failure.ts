import type { FieldError } from '@hcp/contracts';
import { EXIT } from '@hcp/core';
import type { HcpError } from '@hcp/sdk';

/** A failure that a command expects: what is wrong, what to do next, and the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure';
  constructor(
    message: string,
    readonly hint: string,
    readonly exit_code: number = EXIT.failure,
    readonly code = 'failure',
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}

export const usage = (message: string, hint = 'See hcpx --help.'): Failure =>
  new Failure(message, hint, EXIT.usage, 'usage');

/** Ctrl-C, as shells count it. */
export const INTERRUPTED = 130;

/** HCP_TOKEN wins over what is stored, so signing in again would change nothing. */
export const BAD_TOKEN = 'Set HCP_TOKEN to another key, or unset it to use what hcpx login stored.';

/** Fields of a request as a person typed them. */
const TYPED: Readonly<Record<string, string>> = {
  '/principal_id': 'the principal (--for, or the id)',
  '/project_id': '--project',
  '/expires_at': '--expires',
  '/password': 'the password',
  '/email': 'the email',
  '/name': 'the name',
  '/role': 'the role',
  '/token': 'the link',
  '/limit': '--limit',
  '/reason': '--reason',
  '/option': '--for-session',
};

/** `/expires_at Invalid ISO datetime` in words. */
function fieldText({ path, message }: FieldError): string {
  const field = TYPED[path] ?? path.replace(/^\/grants(\/\d+)?/, '--grant');
  return `${field} ${inWords(message)}`;
}

function inWords(message: string): string {
  const [, few] = /^Too small: expected string to have >=(\d+) characters$/.exec(message) ?? [];
  if (few !== undefined) return few === '1' ? 'must not be empty' : `needs at least ${few} characters`;
  const [, many] = /^Too big: expected string to have <=(\d+) characters$/.exec(message) ?? [];
  if (many !== undefined) return `may have at most ${many} characters`;
  if (message === 'Invalid UUID') return 'must be an id, as the lists show it';
  return message === 'Invalid ISO datetime' ? 'must be a time such as 2027-01-31T12:00:00Z' : message;
}

/** What of the environment an error may come from. */
interface Given {
  readonly token: boolean;
  readonly agent: boolean;
}

/** What the API tells its callers to send next; here people type commands. */
const FOR_HTTP = /; (?:let a person do it who signs in by POST|GET \/v1\/me says what you hold).*$/;

/** Refused as the agent's that HCP_AGENT makes of every call. */
export const agentHere = (): Failure =>
  new Failure(
    'only a person may do this, and HCP_AGENT is set here',
    'Ask a person to run it in a shell of their own.',
    EXIT.denied,
    'human_only',
  );

/** One wrong field is what the detail says already, by the name that the API has for it. */
function invalid({ code, problem }: HcpError, message: string): Failure {
  const hint = 'Change the arguments; --help shows them.';
  const [first, ...more] = problem?.errors ?? [];
  if (first !== undefined && more.length === 0 && message.endsWith(first.message)) {
    return new Failure(fieldText(first).replace(/^\//, ''), hint, EXIT.usage, code);
  }
  return new Failure(message, hint, EXIT.usage, code, (problem?.errors ?? []).map(fieldText));
}

/** Words for every error of the API (SPEC I3). Never holds a token: problem details carry none, and causes are not shown. */
export function explain(error: HcpError, given: Given = { token: false, agent: false }): Failure {
  const message = error.message.replace(FOR_HTTP, '');
  const fail = (hint: string, exit: number = EXIT.failure, details: readonly string[] = []): Failure =>
    new Failure(message, hint, exit, error.code, details);
  switch (error.code) {
    case 'unauthenticated':
      return new Failure(
        given.token ? 'HCP_TOKEN is not good, or no longer' : 'not signed in, or the credentials are no longer valid',
        given.token ? BAD_TOKEN : 'Run hcpx login, or set HCP_TOKEN to an API key.',
        EXIT.failure,
        error.code,
      );
    case 'invalid_credentials':
      return fail('Check email and password, then run hcpx login again.');
    case 'tenant_required':
      return fail(
        'Name one with hcpx login --tenant ID:',
        EXIT.usage,
        (error.problem?.tenants ?? []).map((tenant) => `${tenant.id}  ${tenant.name}`),
      );
    case 'human_only':
      if (given.agent) return agentHere();
      return fail('Only a person who signed in may do this; ask one to run it.', EXIT.denied);
    case 'forbidden':
      // What is in the way is said, and it is no grant.
      return fail(
        message.startsWith('a second person has to approve')
          ? 'Let another person who may decide run hcpx approve.'
          : '',
        EXIT.denied,
      );
    case 'missing_capability':
      return fail('Ask who manages access for the grant; hcpx whoami shows yours.', EXIT.denied);
    case 'not_found':
      return fail('Check the name or id: it does not exist, or is not yours to see.');
    case 'invalid_request':
      return invalid(error, message);
    case 'invalid_pack':
      return fail(
        'Run hcpx check on the folder.',
        EXIT.failure,
        (error.problem?.errors ?? []).map((each) => `${each.path} ${each.message}`),
      );
    case 'version_conflict':
      return fail(
        'An installed version never changes: raise the version in manifest.json, or look at the digest again.',
      );
    case 'payload_too_large':
      return fail('Make it smaller: a pack has at most 10 MiB and 500 files, a file of a project at most 32 MiB.');
    case 'quota_exceeded':
      return fail('Remove files first: hcpx files list shows them.');
    case 'workspace_busy':
    case 'rate_limited': {
      const wait = error.problem?.retry_after_ms;
      return fail(wait === undefined ? 'Wait, then try again.' : `Try again in ${Math.ceil(wait / 1000)} s.`);
    }
    case 'network':
      return fail('Check the address and that the API is up; hcpx doctor looks closer.');
    case 'invalid_response':
      return fail('Is this address the API, and of the version of this hcpx? hcpx doctor looks closer.');
    case 'conflict':
      // What is in the way is said; nothing is wrong with the API.
      return fail('', EXIT.failure, (error.problem?.errors ?? []).map(fieldText));
    case 'idempotency_conflict':
      return fail('Use a new key for a new call.');
    default:
      return fail('hcpx doctor shows whether the API is ready.');
  }
}
