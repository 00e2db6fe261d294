import { Badge } from '@mantine/core';
import type { RunSummary } from '@hcp/contracts';
import { spaced } from '../../app/format.js';

const COLOR: Record<RunSummary['status'], string> = {
  queued: 'gray',
  starting: 'blue',
  running: 'blue',
  succeeded: 'green',
  failed: 'red',
  timed_out: 'red',
  cancelled: 'gray',
  unknown: 'yellow',
};

export function RunBadge({ status }: { status: RunSummary['status'] }) {
  return (
    <Badge variant="light" color={COLOR[status]}>
      {spaced(status)}
    </Badge>
  );
}
