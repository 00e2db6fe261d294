import { Badge } from '@mantine/core';

export function StateBadge({ disabled }: { disabled: boolean }) {
  return (
    <Badge variant="light" color={disabled ? 'red' : 'green'}>
      {disabled ? 'disabled' : 'active'}
    </Badge>
  );
}
