import { ROUTES, type Route } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What the headers of a request said; `at` by the process's monotonic clock, in milliseconds. */
export type Recognition =
  { readonly ok: true; readonly caller: Caller; readonly at: number } | { readonly ok: false; readonly error: unknown };

export const recognised = new WeakMap<FastifyRequest, Recognition>();

/** Undefined where nobody has looked yet. */
export const recognition = (request: FastifyRequest): Recognition | undefined => recognised.get(request);

/** The sender of this request was refused: its body is not read (the guard answers). */
export const isRefused = (request: FastifyRequest): boolean => recognition(request)?.ok === false;

const PRIVATE = new Set(
  Object.values(ROUTES).flatMap(({ requires, method, path }: Route) =>
    requires === 'public' ? [] : [`${method} ${path}`],
  ),
);

/** Who sends to a route that is not public is looked at before anything of the body is taken. */
export function recognizeBeforeBody(
  server: FastifyInstance,
  recognizer: { look(request: FastifyRequest, reply: FastifyReply): Promise<void> },
): void {
  server.addHook('preParsing', async (request: FastifyRequest, reply: FastifyReply) => {
    if (PRIVATE.has(`${request.method} ${request.routeOptions.url ?? ''}`)) await recognizer.look(request, reply);
  });
}
