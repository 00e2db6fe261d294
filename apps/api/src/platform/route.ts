import { applyDecorators, HttpCode, RequestMapping, RequestMethod } from '@nestjs/common';
import { ARCHIVE_TYPE, FILE_TYPE, ROUTES, type OperationId, type Route as RouteContract } from '@hcp/contracts';
import { ApiBearerAuth, ApiBody, ApiConsumes, ApiNoContentResponse, ApiOperation, ApiResponse } from '@nestjs/swagger';
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
    ...(is_public ? [] : [ApiBearerAuth('bearer')]),
    success(route),
    ...failures(route).map(([status, text]) => problemResponse(status, text)),
    ...bytes(route),
  );
}

function bytes({ body }: RouteContract): MethodDecorator[] {
  if (body !== 'archive' && body !== 'file') return [];
  const type = body === 'archive' ? ARCHIVE_TYPE : FILE_TYPE;
  return [ApiConsumes(type), ApiBody({ schema: { type: 'string', format: 'binary' } })];
}

function tagOf(route: RouteContract): string {
  const [first = '', second] = route.path.split('/').filter(Boolean);
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
  return ApiResponse({
    status: route.status,
    description: route.status === 201 ? 'Created.' : 'The answer.',
    standardSchema: route.response,
  });
}

function failures(route: RouteContract): [number, string][] {
  const found: [number, string][] = [[400, 'Something in the request is wrong; `errors` names the fields.']];
  if (route.requires !== 'public') {
    found.push([401, 'No valid credentials.'], [403, 'The caller may not do this.']);
  }
  if (route.params) found.push([404, 'No such thing, or not the caller’s to see.']);
  if (/^\/v1\/(auth|invitations)\//.test(route.path) && route.requires === 'public') {
    found.push([401, 'The credentials are wrong.'], [429, 'Too many failures; see Retry-After.']);
  }
  return found;
}

function problemResponse(status: number, text: string): MethodDecorator & ClassDecorator {
  const schema = { $ref: PROBLEM_REF };
  return ApiResponse({ status, description: text, content: { 'application/problem+json': { schema } } });
}
