import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { memo, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { escapeLines, number } from '../../app/format.js';
import type { LiveOutput, Passage } from './live-output.js';
import classes from './live-view.module.css';

/** How near the end counts as at the end. */
const NEAR_PX = 16;
/** A screen reader is told of more at most this often. */
const TELL_MS = 5000;

/** Both streams as they come. It follows the end until one scrolls up. */
export function LiveView({ output, open }: { output: LiveOutput; open: boolean }) {
  const { passages, cut, count } = output;
  const box = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  useLayoutEffect(() => {
    if (following && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [following, count]);
  if (passages.length === 0) return <Text c="dimmed">{open ? 'Nothing yet.' : 'Nothing.'}</Text>;
  const looked = ({ scrollTop, scrollHeight, clientHeight }: HTMLDivElement): void =>
    setFollowing(scrollHeight - scrollTop - clientHeight <= NEAR_PX);
  return (
    <>
      {cut && (
        <Text size="sm" c="dimmed" mb="xs">
          The beginning is not shown any more; the whole is here when the run has ended.
        </Text>
      )}
      <div
        ref={box}
        role="region"
        aria-label="Output so far"
        tabIndex={0}
        className={`hcp-code hcp-output ${classes['box'] ?? ''}`}
        onScroll={(event) => looked(event.currentTarget)}
      >
        {passages.map((passage) => (
          <Spoken key={`${passage.stream} ${String(passage.parts[0]?.number)}`} passage={passage} />
        ))}
      </div>
      <Group justify="space-between" mt="xs" mih={30}>
        <Text size="sm" c="dimmed">
          {open ? 'More appears as it comes.' : 'This is all that came.'}
        </Text>
        {!following && (
          <Button size="compact-sm" variant="default" onClick={() => setFollowing(true)}>
            Go to the end
          </Button>
        )}
      </Group>
      {open && <Told passages={passages} />}
    </>
  );
}

/** What one stream said; which one it was is written, not only coloured. */
function Spoken({ passage: { stream, parts } }: { passage: Passage }) {
  return (
    <div className={stream === 'stderr' ? classes['messages'] : undefined}>
      {stream === 'stderr' && <span className={classes['label']}>Messages</span>}
      {parts.map(({ number: which, text }) => (
        <Part key={which} text={text} />
      ))}
    </div>
  );
}

const Part = memo(function Part({ text }: { text: string }) {
  return <span>{escapeLines(text)}</span>;
});

/** Reading each line aloud would never end: now and then it is told how many there are. */
function Told({ passages }: { passages: readonly Passage[] }) {
  const [told, setTold] = useState('');
  const tell = useEffectEvent(() => {
    const all = passages.flatMap(({ parts }) => parts).map(({ text }) => text);
    const lines = all.join('').split('\n').length - 1;
    setTold(`${number(lines)} ${lines === 1 ? 'line' : 'lines'} of output so far`);
  });
  useEffect(() => {
    const timer = setInterval(tell, TELL_MS);
    return () => clearInterval(timer);
  }, []);
  return <VisuallyHidden role="status">{told}</VisuallyHidden>;
}
