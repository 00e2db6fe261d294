import type { CreatedInvitation } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { exactMoment } from '../../../app/format.js';
import { Said } from '../../../parts/said.js';
import { ShownOnce } from '../../../parts/shown-once.js';

/** An owner's invitation: its link once, or that it was mailed. */
export function Invited({ invitation, onDone }: { invitation: CreatedInvitation; onDone: () => void }) {
  const { email, link, expires_at } = invitation;
  const to = escapeInvisible(email);
  if (link === null) return <Said>{`An invitation was mailed to ${to}.`}</Said>;
  return (
    <ShownOnce
      title={`The invitation of ${to}`}
      secret={link}
      next={`This installation sends no mail: give the link to its owner yourself. It is good once, until ${exactMoment(expires_at)}. If it is lost, invite the owner anew.`}
      onDone={onDone}
    />
  );
}
