import { ActionIcon, Autocomplete, Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { Rule } from '@hcp/core';

const COMPARES = [
  { value: 'args', label: 'is' },
  { value: 'max', label: 'is at most' },
  { value: 'min', label: 'is at least' },
] as const;
type Compare = (typeof COMPARES)[number]['value'];

/** One condition as it is being written. */
export interface Condition {
  readonly id: number;
  readonly name: string;
  readonly compare: Compare;
  readonly value: string;
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** What is wrong before anything is sent: a limit has to be a number for it to be sent at all. */
export function conditionProblem({ compare, value }: Condition): string | null {
  return compare === 'args' || NUMBER.test(value.trim()) ? null : 'Write a plain number, such as 5 or 2.80.';
}

export function whenOf(conditions: readonly Condition[]): Rule['when'] {
  const found: { args?: Record<string, string>; max?: Record<string, number>; min?: Record<string, number> } = {};
  for (const { name, compare, value } of conditions) {
    if (compare === 'args') found.args = { ...found.args, [name]: value };
    else found[compare] = { ...found[compare], [name]: Number(value) };
  }
  return conditions.length === 0 ? undefined : found;
}

interface ConditionsProps {
  readonly value: readonly Condition[];
  /** Arguments that the command has. */
  readonly names: readonly string[];
  readonly onChange: (value: readonly Condition[]) => void;
  readonly errorOf: (condition: Condition) => string | undefined;
}

/** When the rule counts; every one must hold. */
export function Conditions({ value, names, onChange, errorOf }: ConditionsProps) {
  const change = (id: number, part: Partial<Condition>): void =>
    onChange(value.map((each) => (each.id === id ? { ...each, ...part } : each)));
  const add = (): void =>
    onChange([...value, { id: Math.max(0, ...value.map(({ id }) => id)) + 1, name: '', compare: 'args', value: '' }]);
  return (
    <Stack gap="xs">
      {value.map((condition, index) => (
        <Group
          key={condition.id}
          gap="xs"
          align="flex-start"
          role="group"
          aria-label={`Condition ${String(index + 1)}`}
        >
          <Autocomplete
            aria-label="Argument"
            placeholder="Argument"
            required
            w={150}
            data={[...names]}
            value={condition.name}
            onChange={(name) => change(condition.id, { name })}
          />
          <Select
            aria-label="Compared"
            allowDeselect={false}
            w={130}
            data={[...COMPARES]}
            value={condition.compare}
            onChange={(compare) => compare && change(condition.id, { compare })}
          />
          <TextInput
            aria-label="Value"
            placeholder="Value"
            w={150}
            value={condition.value}
            error={errorOf(condition)}
            onChange={({ currentTarget }) => change(condition.id, { value: currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`Remove condition ${String(index + 1)}`}
            onClick={() => onChange(value.filter(({ id }) => id !== condition.id))}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <div>
        <Button size="xs" variant="default" onClick={add}>
          Add a condition
        </Button>
      </div>
    </Stack>
  );
}
