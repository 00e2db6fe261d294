import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';

/** What is looked for, once somebody stops typing. */
export function useSearch(): { text: string; wanted: string; onChange: (text: string) => void } {
  const [text, onChange] = useState('');
  const [wanted] = useDebouncedValue(text.trim(), 250);
  return { text, wanted, onChange };
}

export interface SearchProps {
  readonly label: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

export function Search({ label, text, onChange }: SearchProps) {
  return (
    <TextInput
      type="search"
      label={label}
      w={320}
      maw="100%"
      maxLength={100}
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
