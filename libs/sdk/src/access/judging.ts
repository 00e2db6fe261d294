import {
  type AccessLayers,
  type Caller,
  type Decision,
  type Denial,
  type ExecEnvelope,
  type Pack,
  type PackFacts,
  type Plan,
  type Settings,
  type ViewRules,
} from '@hcp/core';
import { schemaCheck } from '@hcp/schemas';
import { HcpError } from '../errors.js';
import { callDigest, completePack } from './digest.js';
import type { Gated, GateSurroundings } from './gate.js';
import { callerOf, decideFor } from './judge.js';
import type { AccessOptions, AccessSource } from './options.js';
import { checkRules, layersFor, readSettings, viewRules } from './settings.js';

/** What a call came to, and what that was decided on. */
export interface Judged {
  readonly packs: ReadonlyMap<string, Pack>;
  readonly layers: AccessLayers;
  readonly decision: Decision;
}

/** Decides calls on the packs that the runtime tells and the host's settings, both read anew for each call. */
export class Judging {
  readonly caller: Caller;
  readonly views: ViewRules;
  readonly #access: AccessSource;

  /** @throws HcpError `invalid_request` for settings that are malformed, by field */
  constructor(
    private readonly gated: Gated,
    private readonly options: AccessOptions,
    private readonly surroundings: GateSurroundings,
  ) {
    const { access = {} } = options;
    // A copy: what the host changes in its document later counts only where it gives a new one.
    this.#access = typeof access === 'function' ? access : readSettings(structuredClone(access));
    this.caller = callerOf(options);
    this.views = viewRules(options.views);
  }

  /** By id; null where the runtime does not tell them. */
  async packs(): Promise<ReadonlyMap<string, Pack> | null> {
    if (this.gated.packs === null) return null;
    const packs = await Promise.all((await this.gated.packs()).map(completePack));
    return new Map(packs.map((pack) => [pack.manifest.pack_id, pack]));
  }

  async layers(packs: ReadonlyMap<string, Pack>): Promise<AccessLayers> {
    const source = this.#access;
    const settings: Settings = typeof source === 'function' ? readSettings(await source()) : source;
    checkRules(settings, (pack_id) => packs.get(pack_id) ?? null);
    return layersFor(settings, await this.surroundings.around?.());
  }

  async judge(envelope: ExecEnvelope): Promise<Judged | { readonly refused: Denial }> {
    try {
      const packs = await this.packs();
      if (packs === null) return { refused: NO_PACKS };
      const layers = await this.layers(packs);
      return { packs, layers, decision: await this.decide(envelope, { packs, layers, check: schemaCheck }) };
    } catch (error) {
      return { refused: undecided(error) };
    }
  }

  async decide(
    envelope: ExecEnvelope,
    known: Pick<Judged, 'packs' | 'layers'> & { readonly check: typeof schemaCheck; readonly without_args?: boolean },
  ): Promise<Decision> {
    const factsOf = (pack_id: string): PackFacts => {
      const pack = known.packs.get(pack_id) ?? null;
      return { known: pack !== null, active: pack !== null, pack };
    };
    const request = {
      envelope,
      caller: this.caller,
      facts: factsOf(envelope.pack_id),
      nested: factsOf,
      without_args: known.without_args ?? false,
      project_id: this.options.project_id ?? null,
      check: known.check,
      access: known.layers,
      now: new Date(),
      views: this.views,
      host_attests: true,
    };
    return decideFor(request, this.options.authorize);
  }

  /** What a yes to this call is bound to (SPEC V1). */
  async digest(plan: Plan): Promise<string> {
    return callDigest(this.caller, plan, await this.gated.bound?.(plan));
  }
}

export const NO_PACKS: Denial = {
  code: 'no_policy',
  error: 'no policy: the runtime does not tell its packs',
  hint: 'Give the runtime a method packs() that answers the packs whose commands it runs.',
};

/** Names the field of settings that are wrong; of anything else nothing, for it may hold a value. */
export function undecided(error: unknown): Denial {
  const settings = error instanceof HcpError && error.code === 'invalid_request';
  return {
    code: 'internal',
    error: settings ? error.message : 'the call could not be decided',
    hint: settings ? 'Nothing ran. Correct the access settings.' : 'Nothing ran. Look at the runtime and its settings.',
  };
}
