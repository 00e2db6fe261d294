import { Alert, Button, Group, Paper, Select, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { AccessTest, CommandInfo } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { ErrorBox } from '../../parts/error-box.js';
import { ArgsForm } from '../commands/args-form.js';
import { COMMANDS } from '../commands/queries.js';
import { formSchema } from '../commands/schema.js';
import { DECISION } from './rules.js';

const nameOf = ({ pack_id, verb_key }: CommandInfo): string => `${pack_id} ${verb_key}`;

/** What would happen to a call of this person, and why; nothing runs. */
export function Tester() {
  const commands = useQuery(COMMANDS);
  const [chosen, setChosen] = useState<string | null>(null);
  const command = commands.data?.find((each) => nameOf(each) === chosen);
  return (
    <Paper withBorder p="lg" component="section" aria-label="Tester">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            What would happen to this call?
          </Title>
          <Text size="sm" c="dimmed">
            As if you made it now. Nothing runs, nobody is asked.
          </Text>
        </div>
        <Select
          label="Command to test"
          placeholder="Choose one"
          searchable
          data={commands.data?.map(nameOf) ?? []}
          value={chosen}
          onChange={setChosen}
        />
        {command && <Trial key={nameOf(command)} command={command} />}
      </Stack>
    </Paper>
  );
}

function Trial({ command }: { command: CommandInfo }) {
  const { pack_id, verb_key } = command;
  const [args, setArgs] = useState<Record<string, unknown>>({});
  const test = useMutation({ mutationFn: () => api.access.test({ pack_id, verb_key, args }) });
  return (
    <>
      <ArgsForm
        schema={formSchema(command.args)}
        value={args}
        onChange={(next) => {
          setArgs(next);
          test.reset();
        }}
        onSubmit={() => test.mutate()}
      >
        <Group mt="sm">
          <Button type="submit" variant="light" loading={test.isPending}>
            Test it
          </Button>
        </Group>
      </ArgsForm>
      {test.isError && <ErrorBox error={test.error} />}
      {test.data && <Verdict test={test.data} />}
    </>
  );
}

function Verdict({ test }: { test: AccessTest }) {
  const { decision, reason, error, hint, layer, rule, mode } = test;
  const { color, label } = DECISION[decision];
  return (
    <Alert color={color} variant="light" role="status" title={`It ${label}`}>
      <Text size="sm">{reason ?? error ?? 'Nothing stands against it.'}</Text>
      {hint !== null && <Text size="sm">{hint}</Text>}
      <Text size="sm">
        {rule === null ? '' : `By the rule ${escapeInvisible(rule.match)}. `}
        {layer === null ? '' : `Decided by: ${layer}. `}
        {mode === null ? '' : `Mode: ${mode}.`}
      </Text>
    </Alert>
  );
}
