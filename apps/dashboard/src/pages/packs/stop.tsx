import { Button } from '@mantine/core';
import type { PackDetail } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { Ask } from '../../parts/ask.js';
import { packsChanged } from './queries.js';

/** The kill switch of a pack, and the way back. */
export function StopSwitch({ pack: { pack_id, stopped } }: { pack: PackDetail }) {
  const [asking, setAsking] = useState(false);
  const act = async (): Promise<void> => {
    await (stopped ? api.packs.resume(pack_id) : api.packs.stop(pack_id));
    await packsChanged();
  };
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {stopped ? 'Resume the pack' : 'Stop the pack'}
      </Button>
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title={stopped ? `Resume ${pack_id}?` : `Stop ${pack_id}?`}
        yes={stopped ? 'Resume the pack' : 'Stop the pack'}
        danger={!stopped}
        act={act}
      >
        {stopped
          ? 'Its commands can be called again where it is active. Runs that were stopped do not come back; call them anew.'
          : 'At once and in the whole tenant, every project included: runs of it that wait are refused, those that run are stopped, and no new one starts until somebody resumes it.'}
      </Ask>
    </>
  );
}
