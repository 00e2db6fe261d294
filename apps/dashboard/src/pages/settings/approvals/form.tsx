import { Button, Group, List, NumberInput, Paper, SegmentedControl, Stack, Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { Access } from '@hcp/contracts';
import { APPROVALS, type Approvals } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { api } from '../../../app/api.js';
import { atField } from '../../../app/field-errors.js';
import { span } from '../../../app/format.js';
import { Ask } from '../../../parts/ask.js';
import { DurationInput } from '../../../parts/duration-input.js';
import { FormError } from '../../../parts/form-error.js';
import { Said } from '../../../parts/said.js';
import { accessChanged } from '../../access/queries.js';
import classes from '../layout.module.css';
import { changesOf, DEFAULTS, type Draft, draftOf } from './draft.js';
import { loosenings } from './loosening.js';
import { NarrowerEditor } from './narrower.js';
import { operatorWantsPeople } from './operator.js';
import { Setting } from './setting.js';

const FIELDS = [
  '/second_person',
  '/approvers',
  '/reason_required',
  '/pending_ttl_s',
  '/approvals',
  '/member_access',
  '/narrower',
];
const WHOSE: Record<Approvals, string> = { human: 'A person’s', agent: 'Also an agent’s' };

/** Saves at once what tightens, and asks about what loosens. */
export function ApprovalForm({ access }: { access: Access }) {
  const before = draftOf(access);
  const [edited, setEdited] = useState<Draft | null>(null);
  const [asking, setAsking] = useState(false);
  const draft = edited ?? before;
  const changes = changesOf(before, draft);
  const set = (change: Partial<Draft>): void => {
    save.reset();
    setEdited({ ...draft, ...change });
  };
  const save = useMutation({
    mutationFn: async () => {
      if (changes !== null) await api.access.settings(changes);
      await accessChanged();
    },
    onSuccess: () => setEdited(null),
  });
  const loosened = loosenings(before, draft);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (changes === null) return;
    if (loosened.length > 0) setAsking(true);
    else save.mutate();
  };
  const people = operatorWantsPeople(access);
  return (
    <form onSubmit={submit} aria-label="Approvals">
      <Stack gap="lg">
        <Paper withBorder p="lg">
          <div className={classes['rows']}>
            <Setting
              label="A second person decides"
              about="Nobody says yes to what they, or an agent of theirs, asked for."
              fallback="no"
              set={draft.second_person !== null}
              onReset={() => set({ second_person: null })}
              error={atField(save.error, '/second_person')}
            >
              <Switch
                aria-label="A second person decides"
                checked={draft.second_person ?? DEFAULTS.second_person}
                onChange={({ currentTarget }) => set({ second_person: currentTarget.checked })}
              />
            </Setting>
            <Setting
              label="How many people must say yes"
              about="Different people, one to five."
              fallback="1"
              set={draft.approvers !== null}
              onReset={() => set({ approvers: null })}
              error={atField(save.error, '/approvers')}
            >
              <NumberInput
                aria-label="How many people must say yes"
                w={80}
                min={1}
                max={5}
                allowDecimal={false}
                value={draft.approvers ?? DEFAULTS.approvers}
                onChange={(value) => set({ approvers: Number(value) })}
              />
            </Setting>
            <Setting
              label="A decision needs a reason"
              about="Whoever says yes or no writes why; whoever asked reads it."
              fallback="no"
              set={draft.reason_required !== null}
              onReset={() => set({ reason_required: null })}
              error={atField(save.error, '/reason_required')}
            >
              <Switch
                aria-label="A decision needs a reason"
                checked={draft.reason_required ?? DEFAULTS.reason_required}
                onChange={({ currentTarget }) => set({ reason_required: currentTarget.checked })}
              />
            </Setting>
            <Setting
              label="How long a request waits"
              about="One minute to seven days. A yes, once given, covers one run within 15 minutes; that is not a setting."
              fallback={span(DEFAULTS.pending_ttl_s)}
              set={draft.pending_ttl_s !== null}
              onReset={() => set({ pending_ttl_s: null })}
              error={atField(save.error, '/pending_ttl_s')}
            >
              <DurationInput
                label="How long a request waits"
                seconds={draft.pending_ttl_s ?? DEFAULTS.pending_ttl_s}
                onChange={(pending_ttl_s) => set({ pending_ttl_s })}
              />
            </Setting>
            <Setting
              label="Whose yes counts"
              about={
                people
                  ? 'The operator lets only a person’s yes count; that cannot be loosened here.'
                  : 'An agent’s own confirm can count where only a pack’s policy asks; never where a rule or the mode does.'
              }
              fallback="a person’s"
              set={draft.approvals !== null}
              onReset={() => set({ approvals: null })}
              error={atField(save.error, '/approvals')}
            >
              <SegmentedControl
                aria-label="Whose yes counts"
                value={draft.approvals ?? DEFAULTS.approvals}
                onChange={(approvals) => set({ approvals })}
                data={APPROVALS.map((value) => ({
                  value,
                  label: WHOSE[value],
                  disabled: people && value === 'agent',
                }))}
              />
            </Setting>
            <Setting
              label="Members have settings of their own"
              about="Modes and rules that count for their own calls alone, and may loosen what asks them."
              fallback="no"
              set={draft.member_access !== null}
              onReset={() => set({ member_access: null })}
              error={atField(save.error, '/member_access')}
            >
              <Switch
                aria-label="Members have settings of their own"
                checked={draft.member_access ?? DEFAULTS.member_access}
                onChange={({ currentTarget }) => set({ member_access: currentTarget.checked })}
              />
            </Setting>
          </div>
        </Paper>
        <Paper withBorder p="lg">
          <NarrowerEditor
            value={draft.narrower ?? DEFAULTS.narrower}
            onChange={(narrower) => set({ narrower })}
            error={atField(save.error, '/narrower')}
          />
        </Paper>
        <FormError error={save.error} fields={FIELDS} />
        <Said>{save.isSuccess ? 'Saved. It counts for what is asked from now on.' : null}</Said>
        <Group>
          <Button type="submit" disabled={changes === null} loading={save.isPending}>
            Save
          </Button>
          {changes !== null && (
            <Button variant="default" onClick={() => setEdited(null)}>
              Discard the changes
            </Button>
          )}
        </Group>
      </Stack>
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title="Loosen what a yes takes?"
        yes="Loosen it"
        danger
        act={() => save.mutateAsync()}
      >
        <Text span>From the next request on:</Text>
        <List size="sm" mt="xs">
          {loosened.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      </Ask>
    </form>
  );
}
