import { Alert, Anchor, Button, Code, Collapse, CopyButton, Group, Stack, Text } from '@mantine/core';
import { useDisclosure, useId } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { AuditProof } from '@hcp/contracts';
import { exactMoment, number } from '../../app/format.js';
import { Loaded } from '../../parts/loading.js';
import classes from './audit.module.css';
import { proofQuery } from './queries.js';
import { NOT_PROVEN } from './words.js';

/** Whether the event is in the signed log, found out by this browser from the event as it is shown. */
export function Proof({ id }: { id: string }) {
  const query = useQuery(proofQuery(id));
  return (
    <Loaded query={query}>
      {({ proof, proven }) => (
        <Stack gap="sm" align="stretch">
          {proven.ok ? (
            <Alert color="green" variant="light" role="status" title="It is in the log">
              <Text size="sm">
                This event is number {number(proven.index + 1)} of {number(proven.checkpoint.size)} in the log; the
                proof holds against the checkpoint signed at{' '}
                {proven.checkpoint.signed_at === null
                  ? 'a time it does not say'
                  : exactMoment(proven.checkpoint.signed_at.toISOString())}
                . Your browser has just checked that.
              </Text>
            </Alert>
          ) : (
            <Alert color="red" variant="light" role="alert" title="It does not hold">
              <Text size="sm">
                {NOT_PROVEN[proven.reason]} Export the log, keep the file, and ask whoever runs this installation.
              </Text>
            </Alert>
          )}
          <Particulars proof={proof} />
        </Stack>
      )}
    </Loaded>
  );
}

function Particulars({ proof }: { proof: AuditProof }) {
  const [shown, { toggle }] = useDisclosure(false);
  const id = useId();
  const { index, leaf, path, checkpoint } = proof;
  const facts: [string, string][] = [
    ['Log', checkpoint.origin],
    ['Place in the log', `${String(index)}, counted from 0`],
    ['Events in the log', String(checkpoint.size)],
    ['Hash of the event', leaf],
    ['Root of the log', checkpoint.root],
    ['Hashes of the proof', path.length === 0 ? 'none' : path.join('\n')],
    ['Key of the log', checkpoint.key],
  ];
  return (
    <div>
      <Anchor component="button" type="button" size="sm" aria-expanded={shown} aria-controls={id} onClick={toggle}>
        {shown ? 'Hide the numbers' : 'Show the numbers'}
      </Anchor>
      <Collapse expanded={shown} id={id}>
        <Stack gap="sm" mt="sm">
          <dl className={classes['facts']}>
            {facts.map(([label, value]) => (
              <div key={label}>
                <dt>{label}</dt>
                <dd className="hcp-value">{value}</dd>
              </div>
            ))}
          </dl>
          <Code block className="hcp-code" aria-label="Checkpoint">
            {checkpoint.checkpoint}
          </Code>
          <Group gap="sm">
            <CopyButton value={checkpoint.checkpoint}>
              {({ copied, copy }) => (
                <Button size="xs" variant="default" onClick={copy}>
                  {copied ? 'Copied' : 'Copy the checkpoint'}
                </Button>
              )}
            </CopyButton>
            <Text size="sm" c="dimmed">
              Keep it elsewhere: with it, hcpx audit verify finds out whether the log was written anew.
            </Text>
          </Group>
        </Stack>
      </Collapse>
    </div>
  );
}
