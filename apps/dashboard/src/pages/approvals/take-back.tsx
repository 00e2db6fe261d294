import { Button } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { queryClient } from '../../app/queries.js';
import { may, useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';

/** A no after the yes, as long as that was not used (SPEC V2). */
export function TakeBack({ id }: { id: string }) {
  const me = useMe();
  const [asking, setAsking] = useState(false);
  if (!may(me, 'approval.decide')) return null;
  const reject = async (): Promise<void> => {
    await api.approvals.reject(id, { reason: 'taken back' });
    await queryClient.invalidateQueries({ queryKey: ['approval', id] });
    await queryClient.invalidateQueries({ queryKey: ['approvals'] });
  };
  return (
    <>
      <Button size="xs" variant="default" mt="xs" onClick={() => setAsking(true)}>
        Take the yes back
      </Button>
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title="Take the yes back?"
        yes="Take it back"
        danger
        act={reject}
      >
        What has not begun does not run. Whoever asked is told, and may ask again.
      </Ask>
    </>
  );
}
