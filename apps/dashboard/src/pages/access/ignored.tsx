import { Alert } from '@mantine/core';
import type { Access } from '@hcp/contracts';

/** What somebody set and what does not count, each with why. */
export function Ignored({ ignored }: { ignored: Access['ignored'] }) {
  if (ignored.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" title="Set, but it does not count">
      <ul>
        {ignored.map(({ layer, setting, why, rule_id }) => (
          <li key={`${layer} ${setting} ${rule_id ?? ''}`}>
            {setting} of {layer}: {why}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
