import { Text } from '@mantine/core';
import { useNow } from '../app/clock.js';
import { countdown, exactMoment } from '../app/format.js';

const SOON_MS = 60_000;

/** What is left until a moment. Not read aloud each second: a screen reader finds the moment itself. */
export function Countdown({ until, over = 'over' }: { until: string; over?: string }) {
  const left = new Date(until).getTime() - useNow();
  if (left <= 0) return <Text span>{over}</Text>;
  return (
    <Text span ff="monospace" {...(left < SOON_MS && { c: 'var(--mantine-color-error)', fw: 600 })}>
      <time dateTime={until} title={exactMoment(until)} role="timer" aria-live="off">
        {countdown(left)}
      </time>
    </Text>
  );
}
