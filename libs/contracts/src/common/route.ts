import type { Capability } from '@hcp/core';
import type { z } from 'zod';

/**
 * One route of the API: what guard, OpenAPI document, SDK and tests need to know about it. Schemas are the ones that
 * the API validates with.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:name` for each path parameter; `*` at the end stands for the rest of the path. */
  readonly path: string;
  readonly summary: string;
  /** `authenticated`: any valid credentials; the use case narrows further (own runs, own keys). */
  readonly requires: 'public' | 'authenticated' | Capability;
  /** Kinds of caller that are refused with `human_only` whatever they were granted (SPEC A8). */
  readonly refuses: readonly ('agent' | 'service')[];
  /** Status of success. */
  readonly status: 200 | 201 | 204;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  /** A call counts as an agent's, whatever credentials it comes with (SPEC T2). */
  readonly counts_as_agent?: true;
  /**
   * JSON body, `archive` for `application/gzip` bytes, `file` for any bytes as `application/octet-stream`, `form` for what
   * an HTML form sends, or `json-rpc` for messages of a protocol that says itself what they hold.
   */
  readonly body?: z.ZodType | 'archive' | 'file' | 'form' | 'json-rpc';
  /** JSON answer; absent for 204, `event-stream` for SSE, `ndjson` for lines of JSON, `page` for HTML. */
  readonly response?: z.ZodType | 'event-stream' | 'ndjson' | 'page';
  /** How it refuses where that is not as problem details: as OAuth has it, or by a page for people. */
  readonly refusals?: 'oauth' | 'page';
  /** The answer may also be a file's bytes, as `application/octet-stream`; `response` is the other one. */
  readonly response_file?: true;
}

/** Keeps the literal types of a table while checking its shape. */
export function defineRoutes<const T extends Record<string, Route>>(routes: T): T {
  return routes;
}

/** SPEC A8: what changes rights belongs to people. */
export const HUMANS_ONLY = ['agent', 'service'] as const;
/** SPEC A8: packs may be changed by a service that was granted it, never by an agent. */
export const NO_AGENTS = ['agent'] as const;
export const ANYONE = [] as const;
