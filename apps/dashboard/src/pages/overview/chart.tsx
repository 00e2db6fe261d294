import { Group, Paper, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import classes from './overview.module.css';

export interface Bucket {
  /** When it begins. */
  readonly at: string;
  readonly ok: number;
  readonly bad: number;
}

const HOUR = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const WIDTH = 20;
const HEIGHT = 100;

/** Runs of the last day by the hour: as bars to see, as a table to hear. */
export function RunsOverTime({ buckets }: { buckets: readonly Bucket[] }) {
  const most = Math.max(1, ...buckets.map(({ ok, bad }) => ok + bad));
  const height = (count: number): number => (count / most) * HEIGHT;
  const [first] = buckets;
  return (
    <Paper withBorder p="lg" component="section" aria-label="Runs over time">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h5">
          Runs over the last day
        </Title>
        <Group gap="md" aria-hidden>
          <Text size="sm">
            <span className={`${classes['key'] ?? ''} ${classes['ok'] ?? ''}`} />
            worked or under way
          </Text>
          <Text size="sm">
            <span className={`${classes['key'] ?? ''} ${classes['bad'] ?? ''}`} />
            failed
          </Text>
        </Group>
      </Group>
      <svg
        className={classes['chart']}
        viewBox={`0 0 ${String(buckets.length * WIDTH)} ${String(HEIGHT)}`}
        preserveAspectRatio="none"
        aria-hidden
      >
        {buckets.map(({ at, ok, bad }, index) => (
          <g key={at} transform={`translate(${String(index * WIDTH)} 0)`}>
            <rect className={classes['ok']} x={2} width={WIDTH - 4} y={HEIGHT - height(ok + bad)} height={height(ok)} />
            <rect className={classes['bad']} x={2} width={WIDTH - 4} y={HEIGHT - height(bad)} height={height(bad)} />
          </g>
        ))}
        <line className={classes['axis']} x1={0} x2={buckets.length * WIDTH} y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed">
          {first ? HOUR.format(new Date(first.at)) : ''}
        </Text>
        <Text size="xs" c="dimmed">
          most in an hour: {most}
        </Text>
        <Text size="xs" c="dimmed">
          now
        </Text>
      </Group>
      <VisuallyHidden>
        <Table>
          <caption>Runs by the hour</caption>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">Worked or under way</th>
              <th scope="col">Failed</th>
            </tr>
          </thead>
          <tbody>
            {buckets.map(({ at, ok, bad }) => (
              <tr key={at}>
                <th scope="row">{HOUR.format(new Date(at))}</th>
                <td>{ok}</td>
                <td>{bad}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </VisuallyHidden>
    </Paper>
  );
}
