import { Badge } from '@mantine/core';
import type { AuditEvent } from '@hcp/contracts';
import { spaced } from '../../app/format.js';

const COLORS = { allow: 'green', ask: 'yellow', deny: 'red' } as const;

/** How it was decided, or else how it ended. */
export function Decision({ event }: { event: Pick<AuditEvent, 'decision' | 'code' | 'ran' | 'exit_code'> }) {
  if (event.decision !== null) {
    return (
      <Badge variant="light" color={COLORS[event.decision]} className="hcp-badge">
        {event.decision}
      </Badge>
    );
  }
  if (event.code !== null) return spaced(event.code);
  return event.ran === true ? 'ran' : event.ran === false ? 'did not run' : '';
}
