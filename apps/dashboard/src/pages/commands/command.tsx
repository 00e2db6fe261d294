import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { CommandInfo, ExecPreview } from '@hcp/contracts';
import type { ResultEnvelope } from '@hcp/core';
import { useState } from 'react';
import { spaced } from '../../app/format.js';
import { Empty } from '../../parts/empty.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Foreign } from '../../parts/foreign.js';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { Card } from '../approvals/card.js';
import { asksWords } from '../packs/compare.js';
import { AccessBadge, needsProject } from './access-badge.js';
import { ArgsForm } from './args-form.js';
import { type Draft, execute, previewOf } from './execute.js';
import { ChooseProject, type Place, PlaceSelect, usePlace } from './place.js';
import { COMMANDS } from './queries.js';

const route = getRouteApi('/commands/$pack_id/$verb_key');

export function CommandPage() {
  const { pack_id, verb_key } = route.useParams();
  const query = useQuery(COMMANDS);
  return (
    <Page title={`${pack_id} ${verb_key}`} actions={<TextLink to="/commands">All commands</TextLink>}>
      <Loaded query={query}>
        {(commands) => {
          const command = commands.find((each) => each.pack_id === pack_id && each.verb_key === verb_key);
          return command ? (
            <Call key={`${pack_id} ${verb_key}`} command={command} />
          ) : (
            <Empty title="There is no such command" action={<ButtonLink to="/commands">See what there is</ButtonLink>}>
              Its pack may have been turned off.
            </Empty>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** What the call would be: previewed for the arguments and the project that are chosen, and for no others. */
function Call({ command }: { command: CommandInfo }) {
  const { pack_id } = command;
  const [args, setArgs] = useState<Record<string, unknown> | null>({});
  const place = usePlace(command);
  const navigate = useNavigate();
  const preview = useMutation({ mutationFn: previewOf });
  const run = useMutation({
    mutationFn: ({ call, extra }: { call: Draft; extra: Extra }) => execute(call, extra),
    onSuccess: (answer) => {
      if (answer.run_id !== null) void navigate({ to: '/runs/$id', params: { id: answer.run_id } });
    },
  });
  // A card of another call must not be what somebody says yes to.
  const forget = (): void => {
    preview.reset();
    run.reset();
  };
  const { judged } = place;

  return (
    <Stack>
      <Group gap="sm">
        {judged && <AccessBadge judged={judged} />}
        <Text className="hcp-value">
          <Foreign text={command.description} />
        </Text>
      </Group>
      <Text size="sm" c="dimmed">
        {command.operation}, {asksWords(command)}, land {command.land}. From the pack{' '}
        <TextLink to="/packs/$pack_id" params={{ pack_id }} underline="always">
          {pack_id}
        </TextLink>
        .
      </Text>
      <PlaceSelect place={place} onChange={forget} />
      {judged?.access === 'deny' &&
        (needsProject(judged) ? (
          <ChooseProject place={place} />
        ) : (
          <Alert color="gray" variant="light" title="You may not run this">
            {judged.reason ?? 'Nothing that you were granted covers it.'} Ask somebody who manages access to grant it.
          </Alert>
        ))}
      <Paper withBorder p="lg" component="section" aria-label="Arguments">
        <ArgsForm
          schema={command.args}
          error={preview.data?.error ?? null}
          onChange={(next) => {
            setArgs(next);
            forget();
          }}
          onSubmit={() => preview.mutate({ command, args: args ?? {}, project_id: place.project_id })}
        >
          <Group mt="md">
            <Button type="submit" loading={preview.isPending} disabled={args === null}>
              Preview
            </Button>
          </Group>
        </ArgsForm>
      </Paper>
      {preview.isError && <ErrorBox error={preview.error} />}
      {preview.data && (
        <Previewed
          preview={preview.data}
          place={place}
          pending={run.isPending}
          onRun={(extra) => run.mutate({ call: preview.variables, extra })}
        />
      )}
      {run.isError && <ErrorBox error={run.error} />}
      {run.data && <Answered answer={run.data} />}
    </Stack>
  );
}

interface Extra {
  readonly confirm?: true;
  readonly run_on_approve?: true;
}

interface PreviewedProps {
  readonly preview: ExecPreview;
  readonly place: Place;
  readonly pending: boolean;
  readonly onRun: (extra: Extra) => void;
}

function Previewed({ preview, place, pending, onRun }: PreviewedProps) {
  const { decision, card, error, hint, code } = preview;
  if (needsProject(preview)) return <ChooseProject place={place} urgent />;
  if (decision === 'deny' || card === null) {
    return (
      <Alert color="red" variant="light" role="alert" title={error ?? 'It would be refused'}>
        {hint ?? (code === null ? '' : spaced(code))}
      </Alert>
    );
  }
  return (
    <Stack component="section" aria-label="Preview" role="status">
      <Card card={card} full={!card.view.complete} />
      {decision === 'allow' ? (
        <Group>
          <Button loading={pending} onClick={() => onRun({})}>
            Run
          </Button>
        </Group>
      ) : (
        <Stack gap="xs">
          <Text>It asks a person first: {error ?? card.reason}</Text>
          <Group>
            <Button color="green" loading={pending} onClick={() => onRun({ confirm: true })}>
              Yes, run exactly this
            </Button>
            <Button variant="default" disabled={pending} onClick={() => onRun({ run_on_approve: true })}>
              Ask for approval
            </Button>
          </Group>
        </Stack>
      )}
    </Stack>
  );
}

/** An answer without a run: a refusal, or a request that waits. */
function Answered({ answer }: { answer: ResultEnvelope }) {
  if (answer.run_id !== null) return null;
  if (answer.approval_id !== undefined) {
    return (
      <Alert color="blue" variant="light" role="status" title="A person has to say yes">
        <Title order={3} size="h6">
          {answer.error}
        </Title>
        <ButtonLink to="/approvals/$id" params={{ id: answer.approval_id }} size="xs" mt="xs">
          See the request
        </ButtonLink>
      </Alert>
    );
  }
  return (
    <Alert color="red" variant="light" role="alert" title={answer.error ?? 'It was refused'}>
      {answer.hint}
    </Alert>
  );
}
