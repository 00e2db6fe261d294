import type { SenseEvent } from '@hcp/contracts';
import { ButtonLink } from '../../parts/link.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A link to what an event is about. Only the product's own events lead anywhere by their subject: a source's is its own text. */
export function About({ event: { subject, pack_id, verb_key, cleared_at } }: { event: SenseEvent }) {
  if (verb_key !== null) {
    return (
      <ButtonLink to="/commands/$pack_id/$verb_key" params={{ pack_id, verb_key }} size="xs" variant="default">
        See its command
      </ButtonLink>
    );
  }
  const [what, id = ''] = subject.split(':', 2);
  if (what === 'binding' && UUID.test(id)) {
    return (
      <ButtonLink to="/bindings/$id" params={{ id }} size="xs" variant={cleared_at === null ? 'filled' : 'default'}>
        {cleared_at === null ? 'Mend the binding' : 'See the binding'}
      </ButtonLink>
    );
  }
  if (what === 'approval' && UUID.test(id)) {
    return (
      <ButtonLink to="/approvals/$id" params={{ id }} size="xs" variant={cleared_at === null ? 'filled' : 'default'}>
        See the request
      </ButtonLink>
    );
  }
  if (what === 'run' && UUID.test(id)) {
    return (
      <ButtonLink to="/runs/$id" params={{ id }} size="xs" variant="default">
        See the run
      </ButtonLink>
    );
  }
  if (what === 'pack') {
    return (
      <ButtonLink to="/packs/$pack_id" params={{ pack_id }} size="xs" variant="default">
        See the pack
      </ButtonLink>
    );
  }
  return null;
}
