import type { Manifest } from '../manifest.js';
import type { Finding } from '../pack.js';
import type { Policy } from '../policy.js';
import type { Surface } from '../surface.js';
import { finding } from './findings.js';

/** A command of a sense_only pack is run on schedule, where nobody gives it arguments or says yes (SPEC W8). */
export function checkSources({ kind }: Manifest, surface: Surface, policy: Policy): Finding[] {
  if (kind !== 'sense_only') return [];
  const needy = Object.entries(surface.commands).filter(([, { args }]) => (args?.required ?? []).length > 0);
  const acting = Object.entries(policy.commands).filter(
    ([, { operation, confirm }]) => operation !== 'read' || confirm !== false,
  );
  return [
    ...needy.map(([verb_key]) =>
      finding('M034', 'surface.json', ['commands', verb_key, 'args', 'required'], 'a source has no required arguments'),
    ),
    ...acting.map(([verb_key]) =>
      finding(
        'P015',
        'policy.json',
        ['commands', verb_key],
        'a source only reads, and asks nobody',
        '"operation": "read", "confirm": false',
      ),
    ),
  ];
}
