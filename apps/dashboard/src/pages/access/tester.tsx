import { Button, Group, Paper, Select, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { CommandInfo } from '@hcp/contracts';
import { useState } from 'react';
import { ErrorBox } from '../../parts/error-box.js';
import { ArgsForm } from '../commands/args-form.js';
import { COMMANDS } from '../commands/queries.js';
import { testIn } from './queries.js';
import { Verdict } from './verdict.js';

const nameOf = ({ pack_id, verb_key }: CommandInfo): string => `${pack_id} ${verb_key}`;

/** What would happen to a call of this person, and why; nothing runs. */
export function Tester({ project }: { project: string | null }) {
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
            As if you made it now{project === null ? '' : ', in the project chosen above'}. Nothing runs, nobody is
            asked.
          </Text>
        </div>
        <Select
          label="Command to test"
          placeholder="Choose one"
          searchable
          maw={420}
          data={commands.data?.map(nameOf) ?? []}
          value={chosen}
          onChange={setChosen}
        />
        {commands.isError && <ErrorBox error={commands.error} retry={() => void commands.refetch()} />}
        {command && <Trial key={`${nameOf(command)} ${project ?? ''}`} command={command} project={project} />}
      </Stack>
    </Paper>
  );
}

function Trial({ command, project }: { command: CommandInfo; project: string | null }) {
  const { pack_id, verb_key } = command;
  const [args, setArgs] = useState<Record<string, unknown> | null>({});
  const test = useMutation({ mutationFn: () => testIn(project, { pack_id, verb_key, args: args ?? {} }) });
  return (
    <>
      <ArgsForm
        schema={command.args}
        error={test.data?.error ?? null}
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
