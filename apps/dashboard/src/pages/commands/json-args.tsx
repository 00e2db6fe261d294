import { Textarea } from '@mantine/core';
import { parseStrictJson } from '@hcp/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { isNode } from './schema.js';

interface JsonArgsProps {
  readonly initial: Record<string, unknown>;
  /** Null while the text is no object of JSON. */
  readonly onChange: (args: Record<string, unknown> | null) => void;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

const indented = (args: Record<string, unknown>): string => JSON.stringify(args, null, 2);

/** Arguments written as JSON: for schemas that no form can show, and for who likes it better. */
export function JsonArgs({ initial, onChange, onSubmit, children }: JsonArgsProps) {
  const [text, setText] = useState(() => indented(initial));
  const [wrong, setWrong] = useState<string | null>(null);
  const change = (next: string): void => {
    setText(next);
    const parsed = parseStrictJson(next);
    if (parsed.ok && isNode(parsed.value)) {
      setWrong(null);
      return onChange({ ...parsed.value });
    }
    setWrong(parsed.ok ? 'has to be an object, such as {"name": "value"}' : `${parsed.path} ${parsed.why}`.trim());
    onChange(null);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (wrong === null) onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <Textarea
        label="Arguments as JSON"
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        error={wrong}
        autosize
        minRows={4}
        maxRows={20}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      {children}
    </form>
  );
}
