import { Badge } from '@mantine/core';
import type { Approval } from '@hcp/contracts';

const SHOWN: Record<Approval['state'], { color: string; label: string }> = {
  pending: { color: 'blue', label: 'waiting' },
  approved: { color: 'green', label: 'approved' },
  rejected: { color: 'red', label: 'rejected' },
  expired: { color: 'gray', label: 'expired' },
  consumed: { color: 'green', label: 'approved and used' },
};

export function ApprovalBadge({ state }: { state: Approval['state'] }) {
  const { color, label } = SHOWN[state];
  return (
    <Badge variant="light" color={color}>
      {label}
    </Badge>
  );
}
