import { Button, Group, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAct } from '../../app/act.js';
import { api } from '../../app/api.js';
import { atField } from '../../app/field-errors.js';
import { may, useMe } from '../../app/session.js';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { FormError } from '../../parts/form-error.js';
import { Page } from '../../parts/page.js';
import { Section } from '../../parts/section.js';
import { endsIn, KeyLife } from './create-key.js';
import { Managed } from './frame.js';
import { FirstCalls } from './first-calls.js';
import { type FirstCommand, firstCommand } from './first-command.js';
import { peopleChanged } from './queries.js';
import { grantsOfReach, isUnsaid, NOTHING, type Reach, ReachOf } from './reach-of.js';

/** From a name to a first call: one form, and then the key with what to do with it. */
export function NewAgent() {
  return (
    <Managed title="New agent or service">
      <Page
        title="New agent or service"
        about={
          <>
            <TextLink to="/people/agents" underline="always">
              Agents and services
            </TextLink>{' '}
            · it gets rights and a key of its own
          </>
        }
      >
        <Flow />
      </Page>
    </Managed>
  );
}

interface Made {
  readonly id: string;
  readonly key: string;
  readonly command: FirstCommand | null;
}

function Flow() {
  const navigate = useNavigate();
  const [made, setMade] = useState<Made | null>(null);
  if (made === null) return <Form onMade={setMade} />;
  return (
    <FirstCalls
      secret={made.key}
      command={made.command}
      onDone={() => {
        const { id } = made;
        setMade(null);
        void navigate({ to: '/people/$id', params: { id } });
      }}
    />
  );
}

function Form({ onMade }: { onMade: (made: Made) => void }) {
  const me = useMe();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<'agent' | 'service'>('agent');
  const [acts_for_me, setActsForMe] = useState(true);
  const [read, setRead] = useState<Reach>({ ...NOTHING, where: 'all' });
  const [write, setWrite] = useState<Reach>(NOTHING);
  const [life, setLife] = useState('90');
  /** How often it was to be created. */
  const [tried, setTried] = useState(0);
  /** What is there already, where a later step was refused: trying again goes on from it. */
  const [begun, setBegun] = useState<string | null>(null);
  const [given, setGiven] = useState<readonly string[]>([]);

  const create = useAct(async () => {
    const principal_id = begun ?? (await api.agents.create({ name, kind, acts_for_me })).id;
    setBegun(principal_id);
    for (const grant of [...grantsOfReach('verb.exec.read', read), ...grantsOfReach('verb.exec.write', write)]) {
      const step = JSON.stringify(grant);
      if (given.includes(step)) continue;
      await api.grants.create({ principal_id, ...grant });
      setGiven((before) => [...before, step]);
    }
    const expires_at = endsIn(life);
    const { key } = await api.apiKeys.create({
      name: 'first key',
      principal_id,
      ...(expires_at !== undefined && { expires_at }),
    });
    await peopleChanged();
    onMade({ id: principal_id, key, command: await firstCommand(read, write) });
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setTried((before) => before + 1);
    if (!isUnsaid(read) && !isUnsaid(write)) create.run();
  };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (tried > 0) form.current?.querySelector('[aria-invalid="true"]')?.scrollIntoView({ block: 'center' });
  }, [tried]);
  const unsaid = (reach: Reach): string | undefined =>
    tried > 0 && isUnsaid(reach) ? 'Choose one pack or more, or say no above.' : undefined;
  return (
    <form onSubmit={submit} ref={form} aria-label="New agent or service">
      <Stack gap="lg">
        <Section title="1. Who it is">
          <TextInput
            label="Name"
            required
            autoFocus
            maxLength={100}
            w={320}
            maw="100%"
            disabled={begun !== null}
            value={name}
            error={atField(create.error, '/name')}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Group>
            <SegmentedControl
              aria-label="Kind"
              disabled={begun !== null}
              value={kind}
              onChange={(value) => setKind(value)}
              data={[
                { value: 'agent', label: 'AI agent' },
                { value: 'service', label: 'Service' },
              ]}
            />
          </Group>
          <Text size="sm" c="dimmed">
            {kind === 'agent'
              ? 'A model that decides by itself. It can never say yes for a person.'
              : 'A product’s backend, whose code decides.'}
          </Text>
          <Switch
            label="It acts for me"
            description="It can do only what both you and it may, and what it asks comes to you. Only you can end that."
            disabled={begun !== null}
            checked={acts_for_me}
            onChange={({ currentTarget }) => setActsForMe(currentTarget.checked)}
          />
        </Section>
        <Section title="2. What it may do" about="The mode and the rules still decide what asks a person first.">
          <ReachOf
            label="Run commands that read"
            value={read}
            onChange={setRead}
            held={may(me, 'verb.exec.read')}
            error={unsaid(read)}
          />
          <ReachOf
            label="Run commands that write"
            value={write}
            onChange={setWrite}
            held={may(me, 'verb.exec.write')}
            error={unsaid(write)}
          />
        </Section>
        <Section title="3. Its key" about="Shown once, right after this.">
          <Group>
            <KeyLife value={life} onChange={setLife} />
          </Group>
        </Section>
        {create.error !== null && begun !== null && (
          <Text role="status">
            It was created, and then something was refused. Change what is asked for and go on, or{' '}
            <TextLink to="/people/$id" params={{ id: begun }} underline="always">
              look at what is there
            </TextLink>
            .
          </Text>
        )}
        <FormError error={create.error} fields={['/name']} />
        <Group gap="sm">
          <Button type="submit" loading={create.busy}>
            {begun === null ? 'Create it and show the key' : 'Go on'}
          </Button>
          <ButtonLink to="/people/agents" variant="default">
            Leave it
          </ButtonLink>
        </Group>
      </Stack>
    </form>
  );
}
