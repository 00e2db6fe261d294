import { Injectable } from '@nestjs/common';
import type { JsonBodyError } from './json-body.js';

/** How one route answers a body that is not strict JSON. */
export type RenderBodyRefusal = (error: JsonBodyError) => { readonly status: number; readonly body: object };

/**
 * Routes whose clients expect another shape than problem details when the body is refused, exec above all
 * (SPEC E2: a result envelope with `invalid_envelope`). A feature registers its path when its module is built.
 */
@Injectable()
export class BodyRefusals {
  readonly #renderers = new Map<string, RenderBodyRefusal>();

  /** @param path the route's path as registered, such as `/v1/exec` */
  register(path: string, render: RenderBodyRefusal): void {
    this.#renderers.set(path, render);
  }

  for(path: string | undefined): RenderBodyRefusal | undefined {
    return path === undefined ? undefined : this.#renderers.get(path);
  }
}
