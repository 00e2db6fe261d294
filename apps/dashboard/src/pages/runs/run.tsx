import { Alert, Button, Group, Paper, Stack, Tabs, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Run } from '@hcp/contracts';
import { api } from '../../app/api.js';
import { escapeLines } from '../../app/format.js';
import { queryClient } from '../../app/queries.js';
import { may, useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { TextLink } from '../../parts/link.js';
import { Loaded } from '../../parts/loading.js';
import { Page } from '../../parts/page.js';
import { type LiveOutput, useLiveOutput } from './live-output.js';
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
      <Loaded query={query}>{(run) => <Details key={run.id} run={run} />}</Loaded>
    </Page>
  );
}

function Details({ run }: { run: Run }) {
  const me = useMe();
  const open = isOpen(run.status);
  const live = useLiveOutput(run.id, open);
  return (
    <Stack>
      <Group gap="sm" role="status">
        <RunBadge status={run.status} />
        {run.waiting_for !== undefined && <Text>waits for {run.waiting_for}</Text>}
        {run.status === 'unknown' && <Text>The worker was lost: it may have done its work, or a part of it.</Text>}
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
      <Outcome run={run} open={open} live={live} />
      {may(me, 'audit.read') && <RunAudit run_id={run.id} />}
    </Stack>
  );
}

function Outcome({ run, open, live }: { run: Run; open: boolean; live: LiveOutput }) {
  // While it runs, the stream alone has what came so far.
  const stdout = open ? live.stdout : (run.stdout ?? live.stdout);
  const stderr = open ? live.stderr : (run.stderr ?? live.stderr);
  if (run.output_erased_at !== null) {
    return <Alert color="gray">What it was given and what it brought is not kept any more.</Alert>;
  }
  const has_result = run.result !== undefined && run.result !== null;
  if (!open && !has_result && stdout === '' && stderr === '') {
    return <Text c="dimmed">There is no output, or none that you may read.</Text>;
  }
  return (
    <Paper withBorder p="lg" component="section" aria-label="Outcome">
      <Tabs key={has_result ? 'result' : 'stdout'} defaultValue={has_result ? 'result' : 'stdout'} keepMounted={false}>
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
          <Output text={stdout} open={open} label="Output" />
        </Tabs.Panel>
        <Tabs.Panel value="stderr">
          <Output text={stderr} open={open} label="Messages" />
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

function Output({ text, open, label }: { text: string; open: boolean; label: string }) {
  if (text === '') return <Text c="dimmed">{open ? 'Nothing yet.' : 'Nothing.'}</Text>;
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
