import { Badge } from '@mantine/core';
import type { SenseEvent } from '@hcp/contracts';

const COLOR: Record<SenseEvent['severity'], string> = { error: 'red', warning: 'yellow', info: 'blue' };

export function SeverityBadge({ severity }: { severity: SenseEvent['severity'] }) {
  return (
    <Badge variant="light" color={COLOR[severity]}>
      {severity}
    </Badge>
  );
}
