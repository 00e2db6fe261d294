import { Badge } from '@mantine/core';
import type { Binding } from '@hcp/contracts';

const COLOR: Record<Binding['state'], string> = { active: 'green', expired: 'red', stale: 'red', revoked: 'gray' };

export function BindingBadge({ state }: { state: Binding['state'] }) {
  return (
    <Badge variant="light" color={COLOR[state]}>
      {state}
    </Badge>
  );
}
