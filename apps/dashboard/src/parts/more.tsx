import { Button } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';

/** Fetches the next page when one comes to the end of the list; by keyboard it is a button. */
export function More({ loading, onReached }: { loading: boolean; onReached: () => void }) {
  const end = useRef<HTMLButtonElement>(null);
  const reached = useEffectEvent(onReached);
  useEffect(() => {
    if (loading || end.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) reached();
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [loading]);
  return (
    <Button ref={end} variant="default" loading={loading} onClick={onReached}>
      Show more
    </Button>
  );
}
