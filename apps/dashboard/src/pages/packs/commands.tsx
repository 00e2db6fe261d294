import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { CommandInfo, PackDetail } from '@hcp/contracts';
import { Foreign } from '../../parts/foreign.js';
import { TextLink } from '../../parts/link.js';
import { AccessBadge } from '../commands/access-badge.js';
import { asksWords } from './compare.js';
import { packCommands } from './queries.js';

type Command = PackDetail['commands'][number];

/** What it brings; where it is active, with what a call would get now. */
export function Commands({ pack }: { pack: PackDetail }) {
  const callable = useQuery(packCommands(pack.pack_id));
  const judged = new Map(callable.data?.map((command) => [command.verb_key, command]));
  return (
    <Stack gap="xs" component="section" aria-label="Commands">
      <Title order={2} size="h4">
        Commands of {pack.version}
      </Title>
      {pack.commands.length === 0 && <Text c="dimmed">It brings none.</Text>}
      {pack.commands.length > 0 && (
        <Paper withBorder>
          <ul className="hcp-list">
            {pack.commands.map((command) => (
              <li key={command.verb_key} className="hcp-row">
                <One pack_id={pack.pack_id} command={command} judged={judged.get(command.verb_key)} />
              </li>
            ))}
          </ul>
        </Paper>
      )}
    </Stack>
  );
}

interface OneProps {
  readonly pack_id: string;
  readonly command: Command;
  readonly judged: CommandInfo | undefined;
}

function One({ pack_id, command, judged }: OneProps) {
  const { verb_key, description, operation, land } = command;
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
      <Stack gap={2} miw={0}>
        {judged === undefined ? (
          <Text fw={600}>{verb_key}</Text>
        ) : (
          <TextLink to="/commands/$pack_id/$verb_key" params={{ pack_id, verb_key }} fw={600}>
            {verb_key}
          </TextLink>
        )}
        <Text size="sm">
          <Foreign text={description} />
        </Text>
        <Text size="sm" c="dimmed" className="hcp-value">
          {operation}, {asksWords(command)}, land {land}. <Args command={command} />
        </Text>
      </Stack>
      {judged === undefined ? (
        <Badge variant="light" color="gray" className="hcp-fixed">
          not active
        </Badge>
      ) : (
        <AccessBadge judged={judged} />
      )}
    </Group>
  );
}

const MOST_SHOWN = 8;

/** Names alone, those that have to be given first; the form of the command tells the rest. */
function Args({ command: { args } }: { command: Command }) {
  const { properties, required } = (args ?? {}) as { properties?: unknown; required?: unknown };
  const must = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  if (names.length === 0) return <>Takes no arguments.</>;
  const ordered = [...names.filter((name) => must.has(name)), ...names.filter((name) => !must.has(name))];
  const shown = ordered.slice(0, MOST_SHOWN).map((name) => (must.has(name) ? `${name}*` : name));
  const more = ordered.length - shown.length;
  return (
    <>
      Takes <Foreign text={shown.join(', ')} />
      {more > 0 && ` and ${String(more)} more`}.
    </>
  );
}
