import { Badge } from '@mantine/core';
import type { CommandInfo } from '@hcp/contracts';

const SHOWN: Record<CommandInfo['access'], { color: string; label: string }> = {
  allow: { color: 'green', label: 'runs' },
  ask: { color: 'yellow', label: 'asks first' },
  deny: { color: 'gray', label: 'not allowed' },
};

const NEEDS_PROJECT = { color: 'blue', label: 'needs a project' };

/** Whether it is refused for want of a project that it works in. */
export const needsProject = ({ code }: { readonly code: string | null }): boolean => code === 'land_requires_project';

/** What a call would get now. */
export function AccessBadge({ judged }: { judged: Pick<CommandInfo, 'access' | 'code'> }) {
  const { color, label } = needsProject(judged) ? NEEDS_PROJECT : SHOWN[judged.access];
  return (
    <Badge variant="light" color={color} className="hcp-fixed">
      {label}
    </Badge>
  );
}
