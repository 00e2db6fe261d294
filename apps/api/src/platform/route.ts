import { applyDecorators, HttpCode, RequestMapping, RequestMethod } from '@nestjs/common';
import {
  ARCHIVE_TYPE,
  FILE_TYPE,
  FORM_TYPE,
  LINES_TYPE,
  oauthErrorSchema,
  refusalsOf,
  ROUTES,
  type OperationId,
  type RefusalAnswer,
  type Route as RouteContract,
} from '@hcp/contracts';
import { APPROVALS, MODES } from '@hcp/core';
import {
  ApiBearerAuth,
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiNoContentResponse,
  ApiOperation,
  ApiResponse,
  type ApiHeaderOptions,
} from '@nestjs/swagger';
import { Public, Requires, type RouteAccess } from './metadata.js';

/** Where swagger finds a problem answer; the document builder adds the component. */
export const PROBLEM_REF = '#/components/schemas/Problem';

/**
 * Makes a controller method the route of this name in the contracts table: method, path, access, success status and
 * documentation come from there, so none of them can differ from what the SDK and the tests believe.
 */
export function Route(id: OperationId, options: Pick<Partial<RouteAccess>, 'scoped'> = {}): MethodDecorator {
  const route: RouteContract = ROUTES[id];
  const is_public = route.requires === 'public';
  return applyDecorators(
    RequestMapping({ path: route.path, method: RequestMethod[route.method] }),
    HttpCode(route.status),
    is_public ? Public() : Requires(route.requires, { ...options, refuses: route.refuses }),
    ApiOperation({
      operationId: id,
      summary: route.summary,
      description: description(route),
      tags: [tagOf(route)],
      ...(is_public ? { security: [] } : {}),
    }),
    ...(is_public
      ? []
      : [ApiBearerAuth('bearer'), ...HEADERS.map((header) => ApiHeader({ ...header, required: false }))]),
    success(route),
    ...refusalsOf(id).map((answer) => refusal(answer, route)),
    ...bytes(route),
  );
}

function bytes({ body }: RouteContract): MethodDecorator[] {
  if (body === 'form') return [ApiConsumes(FORM_TYPE), ApiBody({ schema: FORM_SCHEMA })];
  if (body !== 'archive' && body !== 'file') return [];
  const type = body === 'archive' ? ARCHIVE_TYPE : FILE_TYPE;
  return [ApiConsumes(type), ApiBody({ schema: { type: 'string', format: 'binary' } })];
}

const FORM_SCHEMA = { type: 'object', additionalProperties: { type: 'string' } } as const;
const PAGE = { 'text/html': { schema: { type: 'string', description: 'A page.' } } } as const;

function tagOf(route: RouteContract): string {
  const [first = '', second] = route.path.split('/').filter(Boolean);
  if (first === 'oauth') return 'auth';
  if (first !== 'v1') return 'meta';
  return second === 'me' ? 'auth' : (second ?? 'meta');
}

function description(route: RouteContract): string {
  if (route.requires === 'public') return 'Takes no credentials.';
  const needs =
    route.requires === 'authenticated' ? 'Takes any valid credentials.' : `Needs the capability \`${route.requires}\`.`;
  if (route.refuses.length === 0) return needs;
  const kinds = route.refuses.map((kind) => `${kind}s`).join(' and ');
  return `${needs} Refused for ${kinds} with \`human_only\`, whatever they were granted.`;
}

function success(route: RouteContract): MethodDecorator {
  if (route.response === undefined) return ApiNoContentResponse({ description: 'Done.' });
  if (route.response === 'event-stream') {
    const schema = { type: 'string', description: 'Server-sent events.' } as const;
    return ApiResponse({ status: route.status, description: 'Events.', content: { 'text/event-stream': { schema } } });
  }
  if (route.response === 'ndjson') {
    const schema = { type: 'string', description: 'Lines of JSON.' } as const;
    return ApiResponse({ status: route.status, description: 'The lines.', content: { [LINES_TYPE]: { schema } } });
  }
  if (route.response === 'page') return ApiResponse({ status: route.status, description: 'A page.', content: PAGE });
  return ApiResponse({
    status: route.status,
    description: route.status === 201 ? 'Created.' : 'The answer.',
    standardSchema: route.response,
  });
}

/** What an authenticated call may say about itself; each of them only ever narrows (SPEC T5, A1). */
const HEADERS: readonly ApiHeaderOptions[] = [
  {
    name: 'HCP-Session',
    description: 'A narrower session of the caller, from `POST /v1/sessions`.',
    schema: { type: 'string', format: 'uuid' },
  },
  {
    name: 'HCP-Agent',
    description: '`1`: the call is made by an agent in the name of a person.',
    schema: { type: 'string', enum: ['0', '1'] },
  },
  {
    name: 'HCP-Mode',
    description: 'The access mode of the calling process, for this call.',
    schema: { type: 'string', enum: [...MODES] },
  },
  {
    name: 'HCP-Approvals',
    description: '`human`: no yes of an agent counts for this call, whatever the tenant lets.',
    schema: { type: 'string', enum: [...APPROVALS] },
  },
];

function refusal({ status, when, holds }: RefusalAnswer, route: RouteContract): MethodDecorator {
  if (holds === 'response' && typeof route.response === 'object') {
    return ApiResponse({ status, description: when, standardSchema: route.response });
  }
  if (holds === 'oauth') return ApiResponse({ status, description: when, standardSchema: oauthErrorSchema });
  if (holds === 'page') return ApiResponse({ status, description: when, content: PAGE });
  const schema = { $ref: PROBLEM_REF };
  return ApiResponse({ status, description: when, content: { 'application/problem+json': { schema } } });
}
