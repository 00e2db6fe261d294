import { Autocomplete, Button, type ComboboxItem, Group, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { spaced } from '../../app/format.js';
import { useNamed, useNames } from '../../app/names.js';
import { useMe } from '../../app/session.js';
import { ACTIONS, actionOf } from './actions.js';
import { type AuditSearch, isUuid } from './search.js';

export function Filters({ search, onChange }: { search: AuditSearch; onChange: (search: AuditSearch) => void }) {
  const set = (change: AuditSearch): void => onChange(given({ ...search, ...change }));
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label="Audit events">
      <Moment label="From" value={search.from} onChange={(from) => set({ from })} />
      <Moment label="Until" value={search.until} onChange={(until) => set({ until })} />
      <Group gap={6}>
        <Last label="Last 24 hours" hours={24} onChange={set} />
        <Last label="Last 7 days" hours={7 * 24} onChange={set} />
      </Group>
      <Who value={search.who} onChange={(who) => set({ who })} />
      <Pack value={search.pack} onChange={(pack) => set({ pack })} />
      <Action value={search.action} onChange={(action) => set({ action })} />
      <Select
        label="Decision"
        placeholder="Any"
        clearable
        w={120}
        data={['allow', 'ask', 'deny']}
        value={search.decision ?? null}
        onChange={(decision) => set({ decision: decision ?? undefined })}
      />
      <ById run={search.run} onRun={(run) => set({ run })} />
      {Object.keys(search).length > 0 && (
        <Button variant="default" onClick={() => onChange({})}>
          Clear the filters
        </Button>
      )}
    </Group>
  );
}

/** Without what says nothing, so that an address has what is chosen and no more. */
const given = (search: AuditSearch): AuditSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined && value !== ''));

const two = (value: number): string => String(value).padStart(2, '0');

/** As the browser's own field for a time writes it: local, to the minute. */
function localTime(at: string): string {
  const date = new Date(at);
  const day = `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

interface FieldProps {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

function Moment({ label, value, onChange }: FieldProps & { label: string }) {
  return (
    <TextInput
      label={label}
      type="datetime-local"
      value={value === undefined ? '' : localTime(value)}
      onChange={({ currentTarget }) => {
        const date = new Date(currentTarget.value);
        onChange(Number.isNaN(date.getTime()) ? undefined : date.toISOString());
      }}
    />
  );
}

function Who({ value, onChange }: FieldProps) {
  const me = useMe();
  const named = useNamed();
  const name = useNames();
  const known = new Map([[me.principal.id, `${escapeInvisible(me.principal.name)} (you)`]]);
  for (const [id, text] of named ?? []) if (id !== me.principal.id) known.set(id, escapeInvisible(text));
  if (value !== undefined && !known.has(value)) known.set(value, name(value));
  return (
    <Select
      label="Who"
      placeholder="Anybody"
      clearable
      searchable
      limit={50}
      w={190}
      data={[...known].map(([id, label]) => ({ value: id, label }))}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}

function Pack({ value, onChange }: FieldProps) {
  const packs = useQuery({ queryKey: ['packs', 'ids'], queryFn: () => api.packs.list({ limit: 200 }) });
  const ids = packs.data?.items.map(({ pack_id }) => pack_id) ?? [];
  return (
    <Select
      label="Pack"
      placeholder="Any"
      clearable
      searchable
      w={150}
      data={value === undefined || ids.includes(value) ? ids : [...ids, value]}
      value={value ?? null}
      onChange={(id) => onChange(id ?? undefined)}
    />
  );
}

const spells = (action: string, typed: string): boolean => spaced(action).includes(spaced(typed.trim().toLowerCase()));

/** Until now, from so long ago. */
function Last({ label, hours, onChange }: { label: string; hours: number; onChange: (change: AuditSearch) => void }) {
  const choose = (): void =>
    onChange({ from: new Date(Date.now() - hours * 3_600_000).toISOString(), until: undefined });
  return (
    <Button size="xs" variant="default" onClick={choose}>
      {label}
    </Button>
  );
}

/** What is typed, until the address has something else. */
function useTextOf(value: string | undefined): [string, (text: string) => void] {
  const [text, setText] = useState(value ?? '');
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    setText(value ?? '');
  }
  return [text, setText];
}

/** Counts when it is chosen, or with Enter: half a word would match nothing. */
function Action({ value, onChange }: FieldProps) {
  const [text, setText] = useTextOf(value);
  const take = (word: string): void => {
    const action = actionOf(word);
    setText(action ?? '');
    if (action !== value) onChange(action);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        take(text);
      }}
    >
      <Autocomplete
        label="Kind of event"
        placeholder="exec.decision"
        w={190}
        limit={60}
        maxLength={100}
        clearable
        data={[...ACTIONS]}
        value={text}
        onChange={setText}
        onOptionSubmit={take}
        onClear={() => onChange(undefined)}
        filter={({ options, search }) => options.filter((option) => spells((option as ComboboxItem).value, search))}
        onBlur={() => take(text)}
      />
    </form>
  );
}

/** An id is of an event, which is shown, or of a run, whose events are. */
function ById({ run, onRun }: { run: string | undefined; onRun: (run: string | undefined) => void }) {
  const navigate = useNavigate();
  const [text, setText] = useTextOf(run);
  const [problem, setProblem] = useState<string | null>(null);
  const find = async (): Promise<void> => {
    const id = text.trim().toLowerCase();
    if (id === '') return onRun(undefined);
    if (!isUuid(id)) return setProblem('An id as the lists show it');
    setProblem(null);
    const event = await api.audit.get(id).catch(() => null);
    if (event) await navigate({ to: '/audit/$id', params: { id } });
    else onRun(id);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void find();
      }}
    >
      <TextInput
        label="Id of an event or a run"
        placeholder="Enter to find it"
        w={210}
        maxLength={64}
        value={text}
        error={problem}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
    </form>
  );
}
