import { Alert, Button, Group, Select, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { RULE_DECISIONS, type RuleDecision } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../app/api.js';
import { ErrorBox } from '../../parts/error-box.js';
import { accessChanged } from './queries.js';

const LABEL: Record<RuleDecision, string> = { allow: 'runs without asking', ask: 'asks first', deny: 'never runs' };

/** A rule for everybody. */
export function AddRule() {
  const [match, setMatch] = useState('');
  const [decision, setDecision] = useState<RuleDecision>('ask');
  const add = useMutation({
    mutationFn: () => api.access.createRule({ match, decision }),
    onSuccess: async () => {
      setMatch('');
      await accessChanged();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Command"
          description="A command such as notes.delete, or a pack such as notes.*"
          required
          value={match}
          onChange={({ currentTarget }) => setMatch(currentTarget.value)}
        />
        <Select
          label="What happens"
          allowDeselect={false}
          data={RULE_DECISIONS.map((value) => ({ value, label: LABEL[value] }))}
          value={decision}
          onChange={(value) => value && setDecision(value)}
        />
        <Button type="submit" loading={add.isPending}>
          Add the rule
        </Button>
      </Group>
      {add.isError && <ErrorBox error={add.error} />}
      {add.data && add.data.warnings.length > 0 && (
        <Alert color="yellow" variant="light" mt="sm" role="status" title="The rule was added, but">
          {add.data.warnings.map(({ message }) => message).join(' ')}
        </Alert>
      )}
    </form>
  );
}
