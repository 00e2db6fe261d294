import { Badge } from '@mantine/core';
import type { CommandInfo } from '@hcp/contracts';

const SHOWN: Record<CommandInfo['access'], { color: string; label: string }> = {
  allow: { color: 'green', label: 'runs' },
  ask: { color: 'yellow', label: 'asks first' },
  deny: { color: 'gray', label: 'not allowed' },
};

/** What a call would get now. */
export function AccessBadge({ access }: { access: CommandInfo['access'] }) {
  const { color, label } = SHOWN[access];
  return (
    <Badge variant="light" color={color} className="hcp-fixed">
      {label}
    </Badge>
  );
}
