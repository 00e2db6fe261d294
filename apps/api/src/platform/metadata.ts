import { createParamDecorator, SetMetadata, type CustomDecorator, type ExecutionContext } from '@nestjs/common';
import type { Route as RouteContract } from '@hcp/contracts';
import type { Caller } from '@hcp/core';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the route guard once the credentials are good. */
    caller?: Caller;
  }
}

/** What a route asks of its caller. */
export interface RouteAccess extends Pick<RouteContract, 'requires' | 'refuses'> {
  /**
   * False: the capability must be held in the whole tenant (for the pack that the path names, if it names one).
   * True: held anywhere will do at the door, because the use case decides again with the scope it acts on.
   */
  readonly scoped: boolean;
}

export const ROUTE_ACCESS = 'hcp:route_access';

/** The route takes no credentials (SPEC T5 lists all of these). */
export const Public = (): CustomDecorator =>
  SetMetadata(ROUTE_ACCESS, { requires: 'public', refuses: [], scoped: false } satisfies RouteAccess);

/**
 * The route takes a caller who holds a capability, or merely good credentials (`authenticated`) where the use case
 * decides on more than that. Routes of the contracts table say the same through `@Route`.
 */
export const Requires = (requires: RouteAccess['requires'], options: Partial<RouteAccess> = {}): CustomDecorator =>
  SetMetadata(ROUTE_ACCESS, { refuses: [], scoped: false, ...options, requires } satisfies RouteAccess);

/** The caller that the guard found. */
export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext): Caller => {
  const caller = context.switchToHttp().getRequest<FastifyRequest>().caller;
  if (!caller) throw new Error('a public route has no caller');
  return caller;
});
