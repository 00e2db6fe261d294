import { Paper } from '@mantine/core';
import type { Run } from '@hcp/contracts';
import type { ReactNode } from 'react';
import { duration, moment } from '../../app/format.js';
import { useWho } from '../../app/who.js';
import classes from './run-facts.module.css';

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="hcp-value">{children}</dd>
    </div>
  );
}

/** Who ran what, when, and how it ended. */
export function RunFacts({ run }: { run: Run }) {
  const who = useWho();
  return (
    <Paper withBorder p="lg" component="section" aria-label="About this run">
      <dl className={classes['facts']}>
        <Fact label="By">
          {who(run.principal_id, run.principal_name, run.principal_kind)}
          {run.acts_for === null ? '' : ` for ${who(run.acts_for, run.acts_for_name, 'human')}`}
        </Fact>
        <Fact label="Asked for">{moment(run.created_at)}</Fact>
        <Fact label="Started">{run.started_at === null ? 'not yet' : moment(run.started_at)}</Fact>
        <Fact label="Took">{run.duration_ms === null ? '–' : duration(run.duration_ms)}</Fact>
        <Fact label="Pack">
          {run.pack_id} {run.pack_version}
        </Fact>
        <Fact label="Does">{run.operation}</Fact>
        <Fact label="Arguments">{run.arg_names.length === 0 ? 'none' : run.arg_names.join(', ')}</Fact>
        {run.exit_code !== null && <Fact label="Exit code">{run.exit_code}</Fact>}
        {run.code !== null && <Fact label="Code">{run.code}</Fact>}
      </dl>
    </Paper>
  );
}
