import { findCommand } from '../packs/lookup.js';
import type { Pack } from '../packs/pack.js';
import { MAX_STEP_DEPTH } from '../packs/steps.js';
import type { PackFacts } from './types.js';

/**
 * The packs that the steps of a command name, and the steps of those (SPEC W6), for `DecideRequest.nested`.
 * @param load what the store says of one pack
 * @returns null for a pack that no step names
 */
export async function loadNested<F extends PackFacts>(
  pack: Pack | null,
  verb_key: string,
  load: (pack_id: string) => Promise<F>,
): Promise<(pack_id: string) => F | null> {
  const found = new Map<string, F>();
  const followed = new Set<string>();
  const follow = async (parent: Pack, verb: string, depth: number): Promise<void> => {
    const here = `${parent.manifest.pack_id}.${verb} ${depth}`;
    if (followed.has(here)) return;
    followed.add(here);
    for (const step of findCommand(parent, verb)?.steps ?? []) {
      const pack_id = step.pack_id ?? parent.manifest.pack_id;
      const facts = found.get(pack_id) ?? (await load(pack_id));
      found.set(pack_id, facts);
      // What is deeper is refused by the decision, whatever it is.
      if (facts.pack !== null && depth < MAX_STEP_DEPTH) await follow(facts.pack, step.verb_key, depth + 1);
    }
  };
  if (pack !== null) await follow(pack, verb_key, 1);
  return (pack_id) => found.get(pack_id) ?? null;
}
