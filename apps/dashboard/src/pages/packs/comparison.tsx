import { Alert, List, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { escapeInvisible } from '@hcp/core';
import type { ReactNode } from 'react';
import { asksWords, type Comparison, isSame } from './compare.js';

interface ComparisonProps {
  readonly comparison: Comparison;
  /** Whether nothing was active before, so that there is nothing to do more than. */
  readonly first?: boolean;
}

/** What another version changes; what it may do from then on comes first. */
export function ComparisonView({ comparison, first = false }: ComparisonProps) {
  const { added, removed, changed, pack, widens } = comparison;
  const rest = pack.filter((words) => !widens.includes(words));
  if (isSame(comparison)) {
    return (
      <Text size="sm" c="dimmed">
        The same commands with the same rights. Files of the pack, such as its program, may differ.
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      {widens.length > 0 && (
        <Alert
          color="yellow"
          variant="light"
          title={first ? 'What it may do' : 'It may do more'}
          icon={<IconAlertTriangle size={18} aria-hidden />}
        >
          <Lines items={widens.map(escapeInvisible)} />
        </Alert>
      )}
      {added.length > 0 && (
        <Part title={`New commands (${String(added.length)})`}>
          {added.map((command) => `${command.verb_key}: ${command.operation}, ${asksWords(command)}`)}
        </Part>
      )}
      {removed.length > 0 && <Part title={`Gone (${String(removed.length)})`}>{removed}</Part>}
      {changed.length > 0 && (
        <Part
          title={`Changed (${String(changed.length)})`}
          about="Rules that allow exactly one of these are suspended until somebody looks at them."
        >
          {changed.map(({ verb_key, changes }) => `${verb_key}: ${changes.join('; ')}`)}
        </Part>
      )}
      {rest.length > 0 && <Part title="The pack itself">{rest}</Part>}
    </Stack>
  );
}

function Part({ title, about, children }: { title: string; about?: string; children: readonly string[] }) {
  return (
    <div>
      <Title order={3} size="h6">
        {title}
      </Title>
      <Lines items={children.map(escapeInvisible)} />
      {about !== undefined && (
        <Text size="sm" c="dimmed">
          {about}
        </Text>
      )}
    </div>
  );
}

function Lines({ items }: { items: readonly ReactNode[] }) {
  return (
    <List size="sm" spacing={2} className="hcp-value">
      {items.map((item, index) => (
        <List.Item key={index}>{item}</List.Item>
      ))}
    </List>
  );
}
