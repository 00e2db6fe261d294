import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { RunSummary } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { moment, number } from '../app/format.js';
import { Countdown } from '../parts/countdown.js';
import { Empty } from '../parts/empty.js';
import { ButtonLink, TextLink } from '../parts/link.js';
import { Loaded } from '../parts/loading.js';
import { Page } from '../parts/page.js';
import { RunBadge } from './runs/status-badge.js';
import { WAITING } from './approvals/queries.js';
import { failedQuery, overviewQuery } from './overview/query.js';
import { RunsOverTime } from './overview/chart.js';
import classes from './overview/overview.module.css';

export function Overview() {
  const query = useQuery(overviewQuery);
  return (
    <Page title="Overview" about="What waits for you, what is happening, and what went wrong.">
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
            items.slice(0, 5).map(({ id, card, pack_id, verb_key, pending_expires_at }) => (
              <Paper key={id} withBorder p="md">
                <Group justify="space-between" gap="xs">
                  <TextLink to="/approvals/$id" params={{ id }} fw={600} className="hcp-value">
                    {card ? escapeInvisible(card.view.title) : `${pack_id} ${verb_key}`}
                  </TextLink>
                  <Text size="sm" c="dimmed">
                    <Countdown until={pending_expires_at} /> left
                  </Text>
                </Group>
              </Paper>
            ))
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
  return runs.map((run) => (
    <Group key={run.id} gap="sm">
      <RunBadge status={run.status} />
      <TextLink to="/runs/$id" params={{ id: run.id }}>
        {run.pack_id} {run.verb_key}
      </TextLink>
      <Text size="sm" c="dimmed">
        {moment(run.created_at)}
      </Text>
    </Group>
  ));
}
