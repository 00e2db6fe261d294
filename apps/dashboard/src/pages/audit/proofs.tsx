import { Alert, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { exactMoment, number } from '../../app/format.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Loading } from '../../parts/loading.js';
import { proofQuery } from './queries.js';
import { NOT_PROVEN } from './words.js';

/** One sentence on several events, each checked here as a single one is. */
export function Proofs({ ids }: { ids: readonly string[] }) {
  const queries = useQueries({ queries: ids.map(proofQuery) });
  const failed = queries.find(({ isError }) => isError);
  if (failed) return <ErrorBox error={failed.error} retry={() => void failed.refetch()} />;
  const found = queries.flatMap(({ data }) => (data ? [data.proven] : []));
  if (found.length < ids.length) return <Loading />;
  const bad = found.find((proven) => !proven.ok);
  if (bad && !bad.ok) {
    return (
      <Alert color="red" variant="light" role="alert" title="The log does not hold">
        <Text size="sm">
          {NOT_PROVEN[bad.reason]} Export the log, keep the file, and ask whoever runs this installation.
        </Text>
      </Alert>
    );
  }
  const held = found.flatMap((proven) => (proven.ok ? [proven] : []));
  const last = held.toSorted((a, b) => b.checkpoint.size - a.checkpoint.size)[0]?.checkpoint;
  const places = held.map(({ index }) => index + 1).toSorted((a, b) => a - b);
  const one = places.length === 1;
  return (
    <Alert color="green" variant="light" role="status" title={one ? 'It is in the log' : 'They are in the log'}>
      <Text size="sm">
        {one ? 'This event is number' : 'These events are numbers'} {places.map(number).join(', ')} of{' '}
        {number(last?.size ?? 0)} in the log; {one ? 'the proof holds' : 'the proofs hold'} against the checkpoint
        signed at {last?.signed_at ? exactMoment(last.signed_at.toISOString()) : 'a time it does not say'}. Your browser
        has just checked that.
      </Text>
    </Alert>
  );
}
