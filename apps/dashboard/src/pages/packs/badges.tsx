import { Badge } from '@mantine/core';
import type { PackSummary } from '@hcp/contracts';

const KINDS: Record<PackSummary['kind'], string> = {
  wrap: 'program',
  composite: 'composite',
  openapi: 'HTTP API',
  sense_only: 'source of events',
};

export const kindWords = (kind: PackSummary['kind']): string => KINDS[kind];

/** What sets a pack apart from an ordinary one of the tenant. */
export function PackBadges({ pack }: { pack: Pick<PackSummary, 'platform' | 'stopped'> }) {
  return (
    <>
      {pack.stopped && (
        <Badge variant="light" color="red">
          stopped
        </Badge>
      )}
      {pack.platform && (
        <Badge variant="light" color="gray">
          platform
        </Badge>
      )}
    </>
  );
}
