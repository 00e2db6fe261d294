import { Alert, Button, Group, Paper, Stack, Tabs, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Run } from '@hcp/contracts';
import { api } from '../../app/api.js';
import { escapeLines } from '../../app/format.js';
import { queryClient } from '../../app/queries.js';
import { may, useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { ButtonLink, TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { type LiveOutput, useLiveOutput } from './live-output.js';
import { LiveView } from './live-view.js';
import { isOpen, runQuery } from './queries.js';
import { RunAudit } from './run-audit.js';
import { RunFacts } from './run-facts.js';
import { RunBadge } from './status-badge.js';
import { Tree } from './tree.js';

const route = getRouteApi('/runs/$id');

export function RunPage() {
  const { id } = route.useParams();
  const query = useQuery(runQuery(id));
  const title = query.data ? `${query.data.pack_id} ${query.data.verb_key}` : 'Run';
  return (
    <Page title={title} actions={<TextLink to="/runs">All runs</TextLink>}>
      <Loaded query={query} back={<Back />}>
        {(run) => <Details key={run.id} run={run} />}
      </Loaded>
    </Page>
  );
}

const Back = () => (
  <ButtonLink to="/runs" size="xs" variant="default">
    Go back to the list
  </ButtonLink>
);

function Details({ run }: { run: Run }) {
  const me = useMe();
  const open = isOpen(run.status);
  // Of one whose worker was lost there is what came until then, and no outcome.
  const lost = run.status === 'unknown' && run.result === undefined && run.output_erased_at === null;
  const live = useLiveOutput(run.id, open || lost);
  return (
    <Stack>
      <Group gap="sm" role="status">
        <RunBadge status={run.status} />
        {run.waiting_for !== undefined && <Text>waits for {run.waiting_for}</Text>}
        {run.status === 'unknown' && <Text>The worker was lost: it may have done its work, or a part of it.</Text>}
        {open && run.attempts > 1 && <Text>The worker was lost: it was begun anew.</Text>}
        {open && <Cancel run={run} />}
      </Group>
      {run.error !== undefined && run.status !== 'cancelled' && (
        <Alert color="red" variant="light" title="It failed">
          <Text size="sm" className="hcp-value">
            {escapeLines(run.error)}
          </Text>
        </Alert>
      )}
      <RunFacts run={run} />
      <Outcome run={run} open={open} lost={lost} live={live} />
      {may(me, 'audit.read') && <RunAudit run_id={run.id} />}
    </Stack>
  );
}

interface OutcomeProps {
  readonly run: Run;
  readonly open: boolean;
  readonly lost: boolean;
  readonly live: LiveOutput;
}

function Outcome({ run, open, lost, live }: OutcomeProps) {
  const { principal } = useMe();
  const hidden = run.land === 'personal' && run.principal_id !== principal.id && run.acts_for !== principal.id;
  if (run.output_erased_at !== null) {
    return <Alert color="gray">What it was given and what it brought is not kept any more.</Alert>;
  }
  if (open || (lost && live.count > 0)) {
    return (
      <Paper withBorder p="lg" component="section" aria-label="Output">
        <Title order={2} size="h5" mb="sm">
          Output so far
        </Title>
        {hidden ? (
          <Text c="dimmed">Its output is only for those who ran it.</Text>
        ) : (
          <LiveView output={live} open={open} />
        )}
      </Paper>
    );
  }
  const { stdout = '', stderr = '' } = run;
  const has_result = hasResult(run);
  if (!has_result && stdout === '' && stderr === '') {
    return <Text c="dimmed">No result and no output, or none that you may read.</Text>;
  }
  return (
    <Paper withBorder p="lg" component="section" aria-label="Outcome">
      {!has_result && (
        <Text c="dimmed" size="sm" mb="sm">
          No result
        </Text>
      )}
      <Tabs defaultValue={has_result ? 'result' : stdout === '' ? 'stderr' : 'stdout'} keepMounted={false}>
        <Tabs.List mb="sm">
          {has_result && <Tabs.Tab value="result">Result</Tabs.Tab>}
          <Tabs.Tab value="stdout">Output</Tabs.Tab>
          <Tabs.Tab value="stderr">Messages</Tabs.Tab>
        </Tabs.List>
        {has_result && (
          <Tabs.Panel value="result">
            <Tree value={run.result} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="stdout">
          <Output text={stdout} label="Output" />
        </Tabs.Panel>
        <Tabs.Panel value="stderr">
          <Output text={stderr} label="Messages" />
        </Tabs.Panel>
      </Tabs>
      {run.truncated && (
        <Text size="sm" mt="sm">
          The output was longer than is kept: the rest is cut.
        </Text>
      )}
    </Paper>
  );
}

/** Of one that succeeded an empty list is a result; of one that failed nothing is told by it. */
function hasResult({ result, status }: Run): boolean {
  if (result === undefined || result === null) return false;
  if (status === 'succeeded') return true;
  return typeof result === 'object' ? Object.keys(result).length > 0 : result !== '';
}

function Output({ text, label }: { text: string; label: string }) {
  if (text === '') return <Text c="dimmed">Nothing.</Text>;
  return (
    <pre className="hcp-code hcp-output" tabIndex={0} aria-label={label}>
      {escapeLines(text)}
    </pre>
  );
}

function Cancel({ run }: { run: Run }) {
  const [asking, { open, close }] = useDisclosure(false);
  const cancel = async (): Promise<void> => {
    await api.runs.cancel(run.id);
    await queryClient.invalidateQueries({ queryKey: ['run', run.id] });
  };
  return (
    <>
      <Button size="xs" variant="outline" color="red" onClick={open}>
        Cancel the run
      </Button>
      <Ask
        opened={asking}
        onClose={close}
        title="Cancel this run?"
        yes="Cancel the run"
        no="Let it go on"
        danger
        act={cancel}
      >
        {run.status === 'queued'
          ? 'It has not started: nothing of it happens.'
          : 'It is running. What it has done so far stays done.'}
      </Ask>
    </>
  );
}
