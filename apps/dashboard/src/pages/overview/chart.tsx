import { Group, Paper, Table, Text, Title, VisuallyHidden } from '@mantine/core';
import type { Overview } from '@hcp/contracts';
import classes from './overview.module.css';

const HOUR = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const WIDTH = 20;
const HEIGHT = 100;

/** Runs of the last day by the hour: as bars to see, as a table to hear. */
export function RunsOverTime({ hours }: { hours: Overview['hours'] }) {
  const most = Math.max(1, ...hours.map(({ total }) => total));
  const height = (count: number): number => (count / most) * HEIGHT;
  const [first] = hours;
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
        viewBox={`0 0 ${String(hours.length * WIDTH)} ${String(HEIGHT)}`}
        preserveAspectRatio="none"
        aria-hidden
      >
        {hours.map(({ from, total, failed }, index) => (
          <g key={from} transform={`translate(${String(index * WIDTH)} 0)`}>
            <rect
              className={classes['ok']}
              x={2}
              width={WIDTH - 4}
              y={HEIGHT - height(total)}
              height={height(total - failed)}
            />
            <rect
              className={classes['bad']}
              x={2}
              width={WIDTH - 4}
              y={HEIGHT - height(failed)}
              height={height(failed)}
            />
          </g>
        ))}
        <line className={classes['axis']} x1={0} x2={hours.length * WIDTH} y1={HEIGHT} y2={HEIGHT} />
      </svg>
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed">
          {first ? HOUR.format(new Date(first.from)) : ''}
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
            {hours.map(({ from, total, failed }) => (
              <tr key={from}>
                <th scope="row">{HOUR.format(new Date(from))}</th>
                <td>{total - failed}</td>
                <td>{failed}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      </VisuallyHidden>
    </Paper>
  );
}
