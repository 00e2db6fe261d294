import { Badge, Group, List, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { escapeInvisible, type Card as CardData, type CardStep } from '@hcp/core';
import { CommandLine } from '../../parts/command-line.js';

const textOf = (value: unknown): string =>
  escapeInvisible(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

type Shown = Pick<CardData, 'pack_name' | 'pack_version' | 'summary' | 'operation' | 'args' | 'cli' | 'view'>;

interface RowsProps {
  readonly rows: readonly { name: string; value: string; cut?: true; about?: string }[];
  readonly label: string;
}

function Rows({ rows, label }: RowsProps) {
  if (rows.length === 0) return null;
  return (
    <Table aria-label={label} layout="fixed" verticalSpacing={6}>
      <Table.Tbody>
        {rows.map(({ name, value, cut, about }) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" w="32%" fw={500}>
              {name}
              {about !== undefined && (
                <Text size="xs" c="dimmed" fw={400}>
                  {about}
                </Text>
              )}
            </Table.Th>
            <Table.Td className="hcp-value">
              {value}
              {cut && (
                <Text span size="xs" fw={600} c="var(--mantine-color-error)">
                  {' '}
                  (cut here)
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** What a command would do, as a person decides about it; nothing invisible in it (SPEC C1, C3). */
function Body({ shown, full }: { shown: Shown; full: boolean }) {
  const { view, args, cli } = shown;
  return (
    <Stack gap="sm">
      {view.signals.length > 0 && (
        <List
          spacing={4}
          icon={<IconAlertTriangle size={16} aria-hidden className="hcp-signal" />}
          aria-label="Signals"
        >
          {view.signals.map(({ id, text }) => (
            <List.Item key={id}>{escapeInvisible(text)}</List.Item>
          ))}
        </List>
      )}
      <Rows rows={view.fields} label="What it does" />
      {view.rest.length > 0 && (
        <div>
          <Text size="sm" c="dimmed">
            Everything else it is given
          </Text>
          <Rows rows={view.rest} label="Everything else it is given" />
        </div>
      )}
      {full && (
        <div>
          <Text size="sm" c="dimmed">
            Every value in full
          </Text>
          <Rows
            rows={args.map(({ name, value, description }) => ({
              name: escapeInvisible(name),
              value: textOf(value),
              ...(description !== undefined && { about: escapeInvisible(description) }),
            }))}
            label="Every value in full"
          />
        </div>
      )}
      <div>
        <Text size="sm" c="dimmed" mb={4}>
          Exactly this runs
        </Text>
        <CommandLine text={cli} />
      </div>
    </Stack>
  );
}

function Step({ step, number, full }: { step: CardStep; number: number; full: boolean }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={`Step ${String(number)}`}>
      <Stack gap="xs">
        <Group gap="xs">
          <Badge variant="light" color="gray">
            step {number}
          </Badge>
          <Text fw={600}>{escapeInvisible(step.view.title)}</Text>
        </Group>
        <Text size="sm" c="dimmed">
          {escapeInvisible(`${step.name} · ${step.pack_name} ${step.pack_version} · ${step.summary}`)}
        </Text>
        {step.later && (
          <Text size="sm">Parts of it come from an earlier step; it is judged again when they are there.</Text>
        )}
        <Body shown={step} full={full} />
        {step.steps?.map((each, index) => (
          <Step key={each.name} step={each} number={index + 1} full={full} />
        ))}
      </Stack>
    </Paper>
  );
}

/** The card in full. @param full every value whole, also of a card that cuts some */
export function Card({ card, full = false }: { card: CardData; full?: boolean }) {
  return (
    <Paper withBorder p="lg" component="section" aria-label="The call">
      <Stack gap="md">
        <div>
          <Group gap="xs" mb={4}>
            <Badge variant="light" color={card.operation === 'read' ? 'gray' : 'blue'}>
              {card.operation}
            </Badge>
            <Badge variant="light" color="gray">
              {card.view.kind}
            </Badge>
          </Group>
          <Title order={2} size="h3" className="hcp-value">
            {escapeInvisible(card.view.title)}
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            {escapeInvisible(`${card.pack_name} ${card.pack_version} · ${card.summary}`)}
          </Text>
        </div>
        <Body shown={card} full={full} />
        {card.steps?.map((step, index) => (
          <Step key={step.name} step={step} number={index + 1} full={full} />
        ))}
      </Stack>
    </Paper>
  );
}
