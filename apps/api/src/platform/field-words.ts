import type { FieldError } from '@hcp/contracts';
import { jsonPointer } from './json-pointer.js';

/** What is read of an issue of the validation library; it never holds the value. */
export interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  readonly code?: string;
  readonly expected?: string;
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly inclusive?: boolean;
  readonly format?: string;
  readonly pattern?: string;
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
  readonly errors?: readonly (readonly Issue[])[];
}

/** A message of our own stays; these begin the library's. */
const LIBRARYS = /^(?:Invalid|Too small|Too big|Unrecognized)/;
/** A name that may be repeated: anything else that was sent as a name might be a value in the wrong place. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const MAX_ERRORS = 50;
const MAX_UNKNOWN = 10;
const MAX_MESSAGE = 300;
const MAX_PATTERN = 100;

/** Where the ids of a field come from. */
const LISTS: Readonly<Record<string, string>> = {
  principal_id: '/v1/members',
  acts_for: '/v1/members',
  agent_id: '/v1/agents',
  project_id: '/v1/projects',
  role_id: '/v1/roles',
  run_id: '/v1/runs',
  session_id: '/v1/sessions',
};

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'is no id; ids are UUIDs',
  email: 'must be an email address',
  url: 'must be a URL',
  datetime: 'must be a time with its zone, such as 2030-01-31T12:00:00Z',
};

/** Issues as fields that are wrong and why, in words (SPEC I1); nothing of a value is in them. */
export function fieldErrors(issues: readonly Issue[]): FieldError[] {
  return issues.flatMap(errorsOf).slice(0, MAX_ERRORS);
}

/** The same for a face that has no routes. */
export const withoutRoute = ({ path, message }: FieldError): FieldError => ({
  path,
  message: message.replace(/; list them at GET .*$/, '; ids are UUIDs'),
});

/** One sentence about a wrong field: `limit must be a whole number`. */
export function sentence({ path, message }: FieldError): string {
  const field = path.split('/').slice(1).join('.');
  const goes_on = /^(?:must|is|has|does|belongs|cannot) /.test(message);
  if (field === '') return goes_on ? `the request ${message}` : message;
  if (message.startsWith('unknown field')) return message;
  return `${field.slice(0, MAX_MESSAGE)}${goes_on ? ' ' : ': '}${message}`;
}

function errorsOf(issue: Issue): FieldError[] {
  const at = issue.path ?? [];
  if (issue.code === 'unrecognized_keys') return unknownFields(at, issue.keys ?? []);
  const last = at.at(-1);
  const name = String(typeof last === 'object' ? last.key : (last ?? ''));
  return [{ path: jsonPointer(at), message: words(issue, name).slice(0, MAX_MESSAGE) }];
}

function unknownFields(at: NonNullable<Issue['path']>, keys: readonly string[]): FieldError[] {
  return keys
    .slice(0, MAX_UNKNOWN)
    .map((key) =>
      PLAIN_NAME.test(key)
        ? { path: jsonPointer([...at, key]), message: `unknown field ${key}` }
        : { path: jsonPointer(at), message: 'has a field that is not known here' },
    );
}

function words(issue: Issue, name: string): string {
  if (!LIBRARYS.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return ofType(issue);
    case 'too_small':
      return bound(issue, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return bound(issue, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'invalid_format':
      return ofFormat(issue, name);
    case 'invalid_value':
      return oneOf(issue.values ?? []);
    case 'invalid_union':
      return anyOf(issue.errors ?? [], name);
    case 'invalid_key':
      return 'has a name that is not allowed here';
    default:
      return 'is not valid';
  }
}

function ofType({ message, expected = '' }: Issue): string {
  if (message.endsWith('received undefined')) return 'is missing';
  // Only text of a query becomes a number, and those are all whole.
  if (message.endsWith('received NaN')) return 'must be a whole number';
  return `must be ${TYPES[expected] ?? `of type ${expected}`}`;
}

function bound({ origin }: Issue, how: string, limit: number | bigint | undefined): string {
  const many = Number(limit) === 1 ? '' : 's';
  if (origin === 'string') return `must have ${how} ${String(limit)} character${many}`;
  if (origin === 'array' || origin === 'set') return `must have ${how} ${String(limit)} item${many}`;
  if (origin === 'object' || origin === 'record') return `must have ${how} ${String(limit)} field${many}`;
  return `must be ${how} ${String(limit)}`;
}

function ofFormat({ format = '', pattern }: Issue, name: string): string {
  const list = LISTS[name];
  if (format === 'uuid' && list !== undefined) return `is no id; list them at GET ${list}`;
  const known = FORMATS[format];
  if (known !== undefined) return known;
  const shown = pattern !== undefined && pattern.length <= MAX_PATTERN ? ` ${pattern}` : '';
  return shown === '' ? 'does not have the form that it must have; see /docs' : `must match${shown}`;
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  return values.length === 1 ? `must be ${shown[0] ?? ''}` : `must be one of ${shown.join(', ')}`;
}

/** Each form's own complaint where all are about the whole; else the forms differ too much for one sentence. */
function anyOf(forms: readonly (readonly Issue[])[], name: string): string {
  const firsts = forms.map(([first]) => first);
  if (firsts.length === 0 || firsts.some((first) => first === undefined || (first.path ?? []).length > 0)) {
    return 'is none of the forms that this field takes; see /docs';
  }
  const said = firsts.flatMap((first) => (first && first.code !== 'unrecognized_keys' ? [words(first, name)] : []));
  return said.length === 0 ? 'is not valid' : [...new Set(said)].join(', or ');
}
