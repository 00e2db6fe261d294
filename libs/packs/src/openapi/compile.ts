import {
  finding,
  operationFinder,
  operationsOf,
  parseStrictJson,
  type ApiOperation,
  type CommandRequest,
  type Finding,
  type JsonSchema,
  type Pack,
  type Surface,
} from '@hcp/core';
import { argsSchemaProblem } from '@hcp/schemas';
import { argsSchema, Room, type Extent } from './args-schema.js';
import { credentialsOf } from './credentials.js';
import { placeArguments, type Argument } from './places.js';
import { readDocument } from './read-document.js';
import { isNode, type Node } from './node.js';

export interface Compiled {
  readonly findings: readonly Finding[];
  /** With a `request` and `args` for each command; null where a finding is an error. */
  readonly surface: Surface | null;
}

/** Tried in this order: the checked arguments are as exact as the bounds of a schema allow. */
const EXTENTS: readonly Extent[] = [
  { depth: 4, patterns: true },
  { depth: 3, patterns: false },
  { depth: 1, patterns: false },
  { depth: 0, patterns: false },
];

/** Makes the commands of an API from its document, once, when the pack is checked or installed (SPEC W7). */
export async function compileOpenapi(pack: Pick<Pack, 'surface'>, text: string): Promise<Compiled> {
  const json = parseStrictJson(text, { max_depth: 128, exact_numbers: false });
  if (!json.ok || !isNode(json.value)) return failed([finding('M030', 'openapi.json', [], 'is no JSON object')]);
  const read = await readDocument(json.value);
  if (!read.ok) return failed(read.findings);
  const document = read.document as Node;
  const find = operationFinder(operationsOf(document));
  const findings: Finding[] = [];
  const commands: [string, Surface['commands'][string]][] = [];
  for (const [verb_key, command] of Object.entries(pack.surface.commands)) {
    const operation = find(verb_key, command.operation_id);
    // The shared check has told so.
    if (operation === null) continue;
    const made = requestOf(document, operation);
    if (!made.ok) {
      findings.push(finding('M031', 'surface.json', ['commands', verb_key], `its operation ${made.why}`));
      continue;
    }
    const known = new Set(made.arguments.map(({ arg }) => arg));
    const foreign = Object.keys(command.args?.properties ?? {}).filter((name) => !known.has(name));
    findings.push(...foreign.map((name) => foreignArgument(verb_key, name, [...known])));
    commands.push([verb_key, { ...command, args: command.args ?? argsOf(made.arguments), request: made.request }]);
  }
  const surface = { ...pack.surface, commands: Object.fromEntries(commands) };
  return findings.length > 0 ? failed(findings) : { findings, surface };
}

const failed = (findings: readonly Finding[]): Compiled => ({ findings, surface: null });

function foreignArgument(verb_key: string, name: string, known: readonly string[]): Finding {
  const keys = ['commands', verb_key, 'args', 'properties', name];
  const has = known.length === 0 ? 'It has none.' : `It has ${known.slice(0, 20).join(', ')}.`;
  return finding('M029', 'surface.json', keys, 'is no argument of the operation', has);
}

type Made =
  | { readonly ok: true; readonly request: CommandRequest; readonly arguments: readonly Argument[] }
  | { readonly ok: false; readonly why: string };

function requestOf(document: Node, api: ApiOperation): Made {
  const server = serverOf(api.operation['servers'] ?? api.path_item['servers'] ?? document['servers']);
  if (server === null) return { ok: false, why: 'has no server with an absolute http(s) address' };
  const credentials = credentialsOf(document, api.operation);
  if (credentials === null) return { ok: false, why: 'is signed in to in a way that is not spoken here' };
  const placed = placeArguments(api, credentials);
  if (!placed.ok) return placed;
  const { operation_id, path } = api;
  // A query of its own, a fragment or steps upwards: the address would not be the one that is shown.
  if (!PLAIN_PATH.test(path) || path.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) {
    return { ok: false, why: 'has a path that is no plain one' };
  }
  const { parameters, body } = placed;
  const gaps = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name);
  if (gaps.some((name) => !parameters.some((each) => each.in === 'path' && each.name === name))) {
    return { ok: false, why: 'has a part of its path that is no parameter' };
  }
  const method = api.method as CommandRequest['method'];
  const request = { operation_id, method, server, path, parameters: [...parameters], body, credentials };
  return { ok: true, request, arguments: placed.arguments };
}

/** No blanks, controls or delimiters of another part of an address. */
const PLAIN_PATH = /^\/[^\s\p{Cc}?#\\]{0,1999}$/u;

/** The first server, with its variables' defaults. */
function serverOf(servers: unknown): string | null {
  const [first] = Array.isArray(servers) ? (servers as unknown[]) : [];
  if (!isNode(first) || typeof first['url'] !== 'string') return null;
  const variables = isNode(first['variables']) ? first['variables'] : {};
  const text = first['url'].replace(/\{([^{}]+)\}/g, (gap, name: string) => {
    const variable = variables[name];
    return isNode(variable) && typeof variable['default'] === 'string' ? variable['default'] : gap;
  });
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const plain =
    ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  return plain && !text.includes('{') ? url.href.replace(/\/+$/, '') : null;
}

function argsOf(found: readonly Argument[]): Surface['commands'][string]['args'] {
  for (const extent of EXTENTS) {
    const room = new Room();
    const properties = found.map(({ arg, schema, description }): [string, JsonSchema] => {
      const made = argsSchema(schema, extent, room);
      return [arg, description === null ? made : { ...made, description: description.slice(0, 300) }];
    });
    if (room.left < 0) continue;
    const required = found.filter((each) => each.required).map(({ arg }) => arg);
    const args = {
      type: 'object' as const,
      properties: Object.fromEntries(properties),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    };
    if (argsSchemaProblem(args) === null) return args;
  }
  return {
    type: 'object',
    properties: Object.fromEntries(found.map(({ arg }) => [arg, {}])),
    additionalProperties: false,
  };
}
