import { skillLead, type Plan } from '@hcp/core';
import type { LocalPack } from './packs.js';

/** What the built-in pack tells of this runtime. */
export interface HcpCliFacts {
  readonly packs_dir: string;
  readonly home: string;
  readonly packs: readonly LocalPack[];
  /** Whether the host lends credentials. */
  readonly mints: boolean;
}

/** Answers the commands of `hcp-cli` in this process (SPEC W6). */
export function runHcpCli({ verb_key, args }: Plan, hint: string | null, facts: HcpCliFacts): object {
  if (hint !== null) return { deferred_to_cli: true, hint };
  const { packs } = facts;
  switch (verb_key) {
    case 'hcp.doctor':
      return {
        ok: packs.every(({ pack }) => pack !== null),
        runtime: 'local',
        sandbox: 'native-local: commands run as this user, without isolation',
        packs_dir: facts.packs_dir,
        home: facts.home,
        broken: packs.filter(({ pack }) => pack === null).map(({ dir, findings }) => ({ dir, findings })),
      };
    case 'hcp.list':
      return {
        packs: packs.flatMap(({ pack }) =>
          pack === null
            ? []
            : [{ pack_id: pack.manifest.pack_id, name: pack.manifest.name, version: pack.manifest.version }],
        ),
      };
    case 'hcp.availability':
      return availability(facts, args['pack']);
    case 'hcp.skill':
      return skill(packs, args['pack'], args['full'] === true || args['full'] === 'true');
    default:
      return { ok: false, error: 'hcp-cli has no such command' };
  }
}

function availability({ packs, mints }: HcpCliFacts, asked: unknown): object {
  const rows = packs.flatMap(({ pack }) => {
    if (pack === null || (asked !== undefined && asked !== null && pack.manifest.pack_id !== asked)) return [];
    const { pack_id, version, binding } = pack.manifest;
    const unbound = !mints && (binding.family === 'user' || binding.family === 'mothership');
    const why = unbound ? `it needs a ${binding.family} binding, which this runtime does not lend` : null;
    return [{ pack_id, available: !unbound, version, why }];
  });
  return rows.length === 0 && asked !== undefined && asked !== null
    ? { ok: false, error: 'no such pack' }
    : { packs: rows };
}

function skill(packs: readonly LocalPack[], asked: unknown, full: boolean): object {
  const found = packs.find(({ pack }) => pack?.manifest.pack_id === asked)?.pack;
  if (!found) return { ok: false, error: 'no such pack' };
  const { pack_id, version } = found.manifest;
  const text = found.skill ?? '';
  return {
    pack_id,
    version,
    skill: full ? text : skillLead(text),
    full,
    ...(!full && { commands: Object.keys(found.surface.commands) }),
  };
}
