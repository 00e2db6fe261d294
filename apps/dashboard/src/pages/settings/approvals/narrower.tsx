import { ActionIcon, Checkbox, Group, NumberInput, Select, Stack, Text, Title } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type Demands, escapeInvisible, VIEW_KINDS } from '@hcp/core';
import classes from '../layout.module.css';
import { COMMANDS } from '../../commands/queries.js';
import { narrowerOf, type Narrower, type Target, targetsOf, wordsOf } from './targets.js';

interface NarrowerEditorProps {
  readonly value: Narrower;
  readonly onChange: (value: Narrower | null) => void;
  readonly error?: string | undefined;
}

/** Where more is asked than of everything else. */
export function NarrowerEditor({ value, onChange, error }: NarrowerEditorProps) {
  const targets = targetsOf(value);
  const put = (target: Target): void =>
    onChange(narrowerOf([...targets.filter(({ key }) => key !== target.key), target]));
  const change = (target: Target, demands: Demands): void =>
    onChange(narrowerOf(targets.map((each) => (each.key === target.key ? { ...target, demands } : each))));
  return (
    <Stack gap="sm">
      <div>
        <Title order={2} size="h5">
          Where more is asked
        </Title>
        <Text size="sm" c="dimmed">
          For a pack, a command or a kind of card. The strictest of everything that fits a call counts.
        </Text>
      </div>
      {error !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      {targets.length > 0 && (
        <ul className="hcp-list" aria-label="Where more is asked">
          {targets.map((target) => (
            <li key={target.key} className={classes['target']}>
              <Row
                target={target}
                onChange={(demands) => change(target, demands)}
                onRemove={() => onChange(narrowerOf(targets.filter(({ key }) => key !== target.key)))}
              />
            </li>
          ))}
        </ul>
      )}
      <AddTarget taken={targets.map(({ key }) => key)} onAdd={put} />
    </Stack>
  );
}

interface RowProps {
  readonly target: Target;
  readonly onChange: (demands: Demands) => void;
  readonly onRemove: () => void;
}

function Row({ target, onChange, onRemove }: RowProps) {
  const { demands } = target;
  const name = escapeInvisible(wordsOf(target));
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
      <Stack gap="xs" miw={0}>
        <Text fw={500} className="hcp-value">
          {name}
        </Text>
        <Group gap="md" role="group" aria-label={name}>
          <Checkbox
            label="A second person"
            checked={demands.second_person ?? false}
            onChange={({ currentTarget }) => onChange({ ...demands, second_person: currentTarget.checked })}
          />
          <Checkbox
            label="A reason"
            checked={demands.reason_required ?? false}
            onChange={({ currentTarget }) => onChange({ ...demands, reason_required: currentTarget.checked })}
          />
          <Group gap="xs" wrap="nowrap">
            <NumberInput
              aria-label={`People who must say yes to ${name}`}
              w={64}
              size="xs"
              min={1}
              max={5}
              allowDecimal={false}
              value={demands.approvers ?? 1}
              onChange={(value) => onChange({ ...demands, approvers: Number(value) })}
            />
            <Text size="sm">must say yes</Text>
          </Group>
        </Group>
      </Stack>
      <ActionIcon variant="subtle" color="gray" aria-label={`Ask no more of ${name}`} onClick={onRemove}>
        <IconX size={16} aria-hidden />
      </ActionIcon>
    </Group>
  );
}

function AddTarget({ taken, onAdd }: { taken: readonly string[]; onAdd: (target: Target) => void }) {
  const commands = useQuery(COMMANDS);
  const packs = [...new Set(commands.data?.map(({ pack_id }) => pack_id))];
  const options = (kind: Target['kind'], names: readonly string[]) =>
    names
      .map((name) => ({ value: `${kind}:${name}`, label: wordsOf({ kind, name }) }))
      .filter(({ value }) => !taken.includes(value));
  return (
    <Select
      label="Ask more of"
      placeholder="A pack, a command or a kind of card"
      searchable
      maw={360}
      value={null}
      data={[
        { group: 'Kinds of card', items: options('kinds', VIEW_KINDS) },
        { group: 'Packs', items: options('packs', packs) },
        {
          group: 'Commands',
          items: options(
            'commands',
            (commands.data ?? []).map(({ pack_id, verb_key }) => `${pack_id}.${verb_key}`),
          ),
        },
      ]}
      onChange={(key) => {
        if (key === null) return;
        const colon = key.indexOf(':');
        const kind = key.slice(0, colon) as Target['kind'];
        onAdd({ key, kind, name: key.slice(colon + 1), demands: { second_person: true } });
      }}
    />
  );
}
