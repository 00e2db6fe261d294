import { Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { CommandInfo } from '@hcp/contracts';
import { useMemo, useState } from 'react';
import { Empty } from '../../parts/empty.js';
import { Foreign } from '../../parts/foreign.js';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { AccessBadge } from './access-badge.js';
import { COMMANDS } from './queries.js';

export function CommandList() {
  const query = useQuery(COMMANDS);
  const [words, setWords] = useState('');
  return (
    <Page title="Commands" about="What can be run here, and whether you may run it now.">
      <TextInput
        type="search"
        label="Search"
        placeholder="Pack, command or what it does"
        leftSection={<IconSearch size={16} aria-hidden />}
        value={words}
        onChange={({ currentTarget }) => setWords(currentTarget.value)}
      />
      <Loaded query={query}>{(commands) => <Found commands={commands} words={words} />}</Loaded>
    </Page>
  );
}

function Found({ commands, words }: { commands: readonly CommandInfo[]; words: string }) {
  const packs = useMemo(() => {
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    const byPack = new Map<string, CommandInfo[]>();
    for (const command of commands) {
      const text = `${command.pack_id} ${command.verb_key} ${command.description}`.toLowerCase();
      if (!wanted.every((word) => text.includes(word))) continue;
      byPack.set(command.pack_id, [...(byPack.get(command.pack_id) ?? []), command]);
    }
    return [...byPack];
  }, [commands, words]);

  if (commands.length === 0) {
    return (
      <Empty title="There are no commands yet" action={<ButtonLink to="/packs">See the packs</ButtonLink>}>
        Commands come with packs. Install and activate one first.
      </Empty>
    );
  }
  if (packs.length === 0) return <Empty title="No command matches">Try fewer or other words.</Empty>;
  return (
    <>
      {packs.map(([pack_id, found]) => (
        <Stack key={pack_id} gap="xs" component="section" aria-label={pack_id}>
          <Title order={2} size="h4">
            <TextLink to="/packs/$pack_id" params={{ pack_id }} c="inherit">
              {pack_id}
            </TextLink>
          </Title>
          <Paper withBorder>
            <ul className="hcp-list">
              {found.map((command) => (
                <li key={command.verb_key} className="hcp-row">
                  <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
                    <div>
                      <TextLink
                        to="/commands/$pack_id/$verb_key"
                        params={{ pack_id, verb_key: command.verb_key }}
                        fw={600}
                      >
                        {command.verb_key}
                      </TextLink>
                      <Text size="sm" c="dimmed">
                        <Foreign text={command.description} />
                      </Text>
                    </div>
                    <AccessBadge judged={command} />
                  </Group>
                </li>
              ))}
            </ul>
          </Paper>
        </Stack>
      ))}
    </>
  );
}
