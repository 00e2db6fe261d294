import { HcpError } from '@hcp/sdk';
import type { PackDetail, PackRef } from '@hcp/contracts';
import { type Words, wordsFor } from '../../app/errors.js';
import { CannotPack, LIMITS_IN_WORDS } from './archive.js';

/** Why a pack did not get in, and what to do next. */
export function uploadWords(error: unknown): Words {
  if (error instanceof CannotPack) return error;
  if (error instanceof DOMException) {
    return {
      title: 'The files could not be read',
      next: 'They may have been moved or changed meanwhile. Choose them again.',
    };
  }
  if (!(error instanceof HcpError)) return wordsFor(error);
  switch (error.code) {
    case 'payload_too_large':
      return { title: 'The archive is too big', next: `${LIMITS_IN_WORDS} Leave out what its commands do not need.` };
    case 'unsupported_media_type':
      return { title: 'That is no archive of a pack', next: 'Drop the folder of the pack, or a .tar.gz of it.' };
    case 'human_only':
      return {
        title: 'An agent may not install packs',
        next: 'Only a person brings in new commands. Sign in as yourself, without an agent’s session.',
      };
    case 'missing_capability':
    case 'forbidden':
      return {
        title: 'You may not install this pack',
        next: 'That takes pack.install for it. Ask somebody who manages people and grants.',
      };
    case 'version_conflict':
      return {
        title: 'This version is installed with another content',
        next: 'A version never changes. Raise version in manifest.json, then drop it again.',
      };
    case 'conflict':
      return { title: 'This pack_id is taken', next: `${error.message}.` };
    case 'invalid_pack':
      return { title: 'The check found errors', next: 'Mend them and drop the pack again.' };
    default:
      return wordsFor(error);
  }
}

export type Standing =
  | { readonly may_install: true; readonly words: string }
  | { readonly may_install: false; readonly installed: boolean; readonly words: string };

/** What a pack that was checked is beside what is installed. @param there null: nothing of that name */
export function standing({ pack_id, version, digest }: PackRef, there: PackDetail | null): Standing {
  if (there === null) return { may_install: true, words: `${pack_id} is new here.` };
  if (there.platform) {
    return {
      may_install: false,
      installed: false,
      words: `${pack_id} is a pack of the platform, which nobody replaces. Give yours another pack_id in manifest.json.`,
    };
  }
  const same = there.versions.find((each) => each.version === version);
  if (same?.digest === digest) {
    return {
      may_install: false,
      installed: true,
      words: `${pack_id} ${version} is installed already, with exactly this content.`,
    };
  }
  if (same) {
    return {
      may_install: false,
      installed: false,
      words: `${pack_id} ${version} is installed with another content. A version never changes: raise version in manifest.json, then drop it again.`,
    };
  }
  const active = there.activations.map((each) => each.version);
  const now = active.length === 0 ? 'none is active' : `${[...new Set(active)].join(', ')} is active`;
  return {
    may_install: true,
    words: `A further version of ${pack_id}; ${now} now, and stays so until you activate another.`,
  };
}
