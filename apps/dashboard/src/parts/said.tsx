import { Alert, List } from '@mantine/core';

/** What was just done, told to everyone who is on the page. Null says nothing. */
export function Said({ children, warnings = [] }: { children: string | null; warnings?: readonly string[] }) {
  if (children === null) return null;
  return (
    <Alert color={warnings.length > 0 ? 'yellow' : 'green'} variant="light" role="status" title={children}>
      {warnings.length > 0 && (
        <List size="sm">
          {warnings.map((warning) => (
            <List.Item key={warning}>{warning}</List.Item>
          ))}
        </List>
      )}
    </Alert>
  );
}
