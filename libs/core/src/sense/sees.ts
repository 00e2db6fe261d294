import { allows } from '../authz/allows.js';
import { PACK_CAPABILITIES, type Capability } from '../authz/grant.js';
import type { Caller } from '../principal/principal.js';

/** What of an event decides who sees it. */
export interface SeenEvent {
  readonly kind: string;
  readonly pack_id: string;
  readonly project_id: string | null;
  /** Whose alone it is. */
  readonly principal_id: string | null;
  /** Null: the product itself tells of it. */
  readonly source_id: string | null;
}

type Viewer = Pick<Caller, 'principal' | 'acts_for' | 'session' | 'authority'>;

/**
 * Who sees a Sense event (SPEC N1, G4, G5). What is a person's own is seen by that person and by those who act for it; all
 * else by those who work with what it is about, or who may read what others do with it. A key or session sees what lies
 * within its bounds.
 * @param approval of an `approval_waiting`: whether the viewer may see that request
 */
export function seesSense(viewer: Viewer, event: SeenEvent, now: Date, { approval = false } = {}): boolean {
  const { pack_id, principal_id, source_id } = event;
  const { packs, project_id: only } = viewer.session;
  if (packs !== null && !packs.includes(pack_id)) return false;
  // That a pack cannot run is true in every project.
  const everywhere = event.kind === 'pack_unavailable' && source_id === null;
  const project_id = everywhere ? (event.project_id ?? only) : event.project_id;
  if (only !== null && project_id !== only) return false;
  const holds = (capability: Capability): boolean => allows(viewer.authority, { capability, pack_id, project_id }, now);
  if (source_id === null && event.kind === 'approval_waiting') return approval;
  if (principal_id !== null) {
    return [viewer.principal.id, viewer.acts_for].includes(principal_id) && worksWith(viewer, pack_id, project_id, now);
  }
  if (source_id === null && event.kind === 'credential_stale') return holds('binding.manage') || holds('run.read');
  if (source_id === null && event.kind.startsWith('source_')) return holds('sense.enable') || holds('run.read');
  const inside = project_id === null || everywhere || viewer.authority.member_of.includes(project_id);
  return holds('run.read') || (inside && worksWith(viewer, pack_id, project_id, now));
}

/** Whether any right of every layer is for the pack, for all of its commands or for some. */
function worksWith({ authority }: Viewer, pack_id: string, project_id: string | null, now: Date): boolean {
  const of_packs: readonly Capability[] = PACK_CAPABILITIES;
  return (
    authority.layers.length > 0 &&
    authority.layers.every((layer) =>
      layer.some((grant) => {
        const { capability, verb_keys } = grant;
        if (!of_packs.includes(capability) || verb_keys?.length === 0) return false;
        return allows({ layers: [[grant]] }, { capability, pack_id, verb_key: verb_keys?.[0], project_id }, now);
      }),
    )
  );
}
