import { Alert, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { RunSummary } from '@hcp/contracts';
import { moment, number } from '../app/format.js';
import { Empty } from '../parts/empty.js';
import { ButtonLink, TextLink } from '../parts/link.js';
import { Loaded } from '../parts/loading.js';
import { Page } from '../parts/page.js';
import { RunBadge } from './runs/status-badge.js';
import { WAITING } from './approvals/queries.js';
import { ApprovalRow } from './approvals/row.js';
import { failedQuery, overviewQuery } from './overview/query.js';
import { RunsOverTime } from './overview/chart.js';
import classes from './overview/overview.module.css';

export function Overview() {
  const query = useQuery(overviewQuery);
  return (
    <Page title="Overview" about="What waits for you, what is happening, and what went wrong.">
      <Stale />
      <Waiting />
      <Loaded query={query}>
        {({ runs, bindings, hours }) => (
          <>
            <div className={classes['counts']}>
              <Count label="Running now" value={runs.running} />
              <Count label="In line" value={runs.queued} />
              <Count label="Failed in the last day" value={runs.failed} bad={runs.failed > 0} />
              {bindings !== null && (
                <Count label="Connections to renew" value={bindings.stale} bad={bindings.stale > 0} />
              )}
            </div>
            <RunsOverTime hours={hours} />
          </>
        )}
      </Loaded>
      <Failed />
    </Page>
  );
}

/** Says before anything else that commands are refused for want of a credential. */
function Stale() {
  const { data } = useQuery(overviewQuery);
  const stale = data?.bindings?.stale ?? 0;
  if (stale === 0) return null;
  return (
    <Alert
      color="red"
      variant="light"
      role="region"
      title={stale === 1 ? 'One binding is stale' : `${number(stale)} bindings are stale`}
    >
      <Group justify="space-between" gap="xs">
        <Text size="sm">Commands that need {stale === 1 ? 'it' : 'them'} are refused until you connect again.</Text>
        <ButtonLink to="/bindings" size="xs">
          Reconnect
        </ButtonLink>
      </Group>
    </Alert>
  );
}

function Count({ label, value, bad = false }: { label: string; value: number; bad?: boolean }) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text size="xl" fw={700} {...(bad && { c: 'var(--mantine-color-error)' })}>
        {number(value)}
      </Text>
    </Paper>
  );
}

function Waiting() {
  const waiting = useQuery(WAITING);
  return (
    <Stack gap="sm" component="section" aria-label="Waiting approvals">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Waiting for a yes
        </Title>
        <TextLink to="/approvals">All approvals</TextLink>
      </Group>
      <Loaded query={waiting}>
        {({ items }) =>
          items.length === 0 ? (
            <Text c="dimmed">Nothing waits. What needs a person’s yes appears here by itself.</Text>
          ) : (
            <Stack gap="sm" component="ul" className="hcp-list" aria-label="Requests">
              {items.slice(0, 5).map((approval) => (
                <li key={approval.id}>
                  <ApprovalRow approval={approval} />
                </li>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  );
}

function Failed() {
  const query = useQuery(failedQuery);
  return (
    <Stack gap="sm" component="section" aria-label="What failed">
      <Title order={2} size="h4">
        What failed
      </Title>
      <Loaded query={query}>{(runs) => (runs.length === 0 ? <NothingFailed /> : <FailedRuns runs={runs} />)}</Loaded>
    </Stack>
  );
}

function NothingFailed() {
  return (
    <Empty
      title="Nothing failed"
      action={
        <ButtonLink to="/runs" variant="default">
          See all runs
        </ButtonLink>
      }
    >
      Runs that did not work are listed here.
    </Empty>
  );
}

function FailedRuns({ runs }: { runs: readonly RunSummary[] }) {
  return (
    <Paper withBorder component="ul" className="hcp-list">
      {runs.map((run) => (
        <li key={run.id} className="hcp-row">
          <Group justify="space-between" gap="sm">
            <Group gap="sm">
              <TextLink to="/runs/$id" params={{ id: run.id }} className="hcp-value">
                {run.pack_id} {run.verb_key}
              </TextLink>
              <RunBadge status={run.status} />
            </Group>
            <Text size="sm" c="dimmed">
              {moment(run.created_at)}
            </Text>
          </Group>
        </li>
      ))}
    </Paper>
  );
}
