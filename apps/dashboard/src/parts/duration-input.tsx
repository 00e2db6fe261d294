import { Group, NumberInput, Select } from '@mantine/core';
import { useState } from 'react';

const UNITS = [
  { value: '60', label: 'minutes' },
  { value: '3600', label: 'hours' },
  { value: '86400', label: 'days' },
] as const;

/** The largest unit that says it without a fraction. */
function unitOf(seconds: number): number {
  if (seconds > 0 && seconds % 86_400 === 0) return 86_400;
  return seconds > 0 && seconds % 3600 === 0 ? 3600 : 60;
}

interface DurationInputProps {
  readonly label: string;
  readonly seconds: number;
  readonly onChange: (seconds: number) => void;
  readonly error?: string | undefined;
}

/** A time span as people say it: a number and its unit. */
export function DurationInput({ label, seconds, onChange, error }: DurationInputProps) {
  const [unit, setUnit] = useState(() => unitOf(seconds));
  // A value that came from elsewhere may be no whole number of the unit that was chosen.
  const shown = seconds % unit === 0 ? unit : unitOf(seconds);
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <NumberInput
        aria-label={label}
        w={80}
        min={1}
        allowDecimal={false}
        allowNegative={false}
        value={seconds === 0 ? '' : seconds / shown}
        error={error}
        onChange={(value) => onChange(typeof value === 'number' ? value * shown : 0)}
      />
      <Select
        aria-label={`${label}: unit`}
        w={110}
        allowDeselect={false}
        data={[...UNITS]}
        value={String(shown)}
        onChange={(value) => {
          if (value === null) return;
          setUnit(Number(value));
          onChange((seconds / shown) * Number(value));
        }}
      />
    </Group>
  );
}
