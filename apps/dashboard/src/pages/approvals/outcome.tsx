import { Alert, Group } from '@mantine/core';
import type { Approval } from '@hcp/contracts';
import { moment } from '../../app/format.js';
import { useNow } from '../../app/clock.js';
import { ButtonLink } from '../../parts/link.js';
import { Countdown } from '../../parts/countdown.js';
import { TakeBack } from './take-back.js';

/** What became of a request, in words. */
export function Outcome({ approval }: { approval: Approval }) {
  const now = useNow();
  const { state, run_id, use_expires_at } = approval;
  const seeRun = run_id !== null && (
    <ButtonLink to="/runs/$id" params={{ id: run_id }} size="xs" variant="default" mt="xs">
      See the run
    </ButtonLink>
  );
  if (state === 'pending') {
    if (new Date(approval.pending_expires_at).getTime() > now) return null;
    return (
      <Alert color="gray" variant="light" role="status" title="This request has run out">
        Nobody decided in time, so nothing was run. Whoever asked may ask again.
      </Alert>
    );
  }
  switch (state) {
    case 'approved':
      return (
        <Alert
          color="green"
          variant="light"
          role="status"
          title={run_id === null ? 'Approved, not run yet' : 'Approved'}
        >
          {approval.run_on_approve ? 'It may run once' : 'Whoever asked may run it once'}
          {use_expires_at === null ? (
            '.'
          ) : (
            <>
              , within <Countdown until={use_expires_at} over="no time any more: it was not used" />.
            </>
          )}
          <Group gap="xs">
            {seeRun}
            <TakeBack id={approval.id} />
          </Group>
        </Alert>
      );
    case 'consumed':
      return (
        <Alert color="green" variant="light" role="status" title="Approved, and it ran">
          The yes was used{approval.approved_at === null ? '' : `; it was given ${moment(approval.approved_at)}`}.
          <div>{seeRun}</div>
        </Alert>
      );
    case 'rejected':
      return (
        <Alert color="red" variant="light" role="status" title="Rejected">
          Nothing was run. Whoever asked is told.
        </Alert>
      );
    case 'expired':
      return (
        <Alert color="gray" variant="light" role="status" title="This request has run out">
          Nobody decided in time, or the yes was not used in time. Nothing was run. Whoever asked may ask again.
        </Alert>
      );
  }
}
