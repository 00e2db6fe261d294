import type { Caller, Pack, PackFacts, SchemaCheck } from '@hcp/core';
import type { Database, Tx } from '@hcp/database';
import type { AccessLoader } from './loader.js';

/** The version of a pack that runs in the project, before any is active the next one; null where the tenant has none. */
export type LoadPack = (tx: Tx, caller: Caller, pack_id: string, project_id: string | null) => Promise<Pack | null>;

/** What a decision needs of a pack, as exec loads it. */
export type LoadFacts = (
  tx: Tx,
  query: { pack_id: string; project_id: string | null; caller: Caller },
) => Promise<PackFacts>;

export interface AccessDeps {
  readonly db: Database;
  readonly loader: AccessLoader;
  readonly pack: LoadPack;
  readonly facts: LoadFacts;
  readonly check: SchemaCheck;
}
