import { Button, Progress, Stack, Text } from '@mantine/core';
import type { RootKeysAnswer } from '@hcp/contracts';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../../app/api.js';
import { number } from '../../../app/format.js';
import { queryClient } from '../../../app/queries.js';
import { Ask } from '../../../parts/ask.js';
import { ErrorBox } from '../../../parts/error-box.js';
import { Said } from '../../../parts/said.js';
import { ROOT_KEYS } from './queries.js';

interface State {
  readonly done: number;
  readonly left: number;
}

/** Wraps every key anew by the root key that wraps now, some hundred at a time, as long as the page is open. */
export function Rewrap({ items }: RootKeysAnswer) {
  const [asking, setAsking] = useState(false);
  const [working, setWorking] = useState(false);
  const [state, setState] = useState<State | null>(null);
  const [error, setError] = useState<unknown>(null);
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
    };
  }, []);
  const old = items.filter(({ primary }) => !primary);
  const waiting = old.reduce((sum, { data_keys, signing_keys }) => sum + data_keys + signing_keys, 0);

  const begin = async (): Promise<void> => {
    setWorking(true);
    setError(null);
    let done = 0;
    try {
      for (let left = 1, step = 1; left > 0 && step > 0 && !gone.current;) {
        const answer = await api.rootKeys.rewrap();
        ({ left } = answer);
        // A call that wraps nothing leaves what cannot be opened: it would go on for ever.
        step = answer.done;
        done += answer.done;
        setState({ done, left });
      }
    } catch (problem) {
      setError(problem);
    } finally {
      setWorking(false);
      await queryClient.invalidateQueries({ queryKey: ROOT_KEYS.queryKey });
    }
  };
  return (
    <Stack gap="sm" align="flex-start">
      {waiting === 0 && state === null && (
        <Text size="sm">Everything is wrapped by the key that wraps now. There is nothing to do.</Text>
      )}
      {state !== null && working && (
        <Progress
          w="100%"
          maw={420}
          value={(state.done / (state.done + state.left)) * 100}
          aria-label={`${number(state.done)} keys done, ${number(state.left)} left`}
        />
      )}
      {state !== null && (
        <Said
          warnings={!working && state.left > 0 ? ['What is left cannot be opened here, or another page stopped.'] : []}
        >
          {state.left === 0
            ? `Done: ${number(state.done)} keys were wrapped anew.`
            : `${number(state.done)} keys done, ${number(state.left)} left.`}
        </Said>
      )}
      {error !== null && <ErrorBox error={error} title="Stopped on the way; what is done stays done" />}
      {waiting > 0 && (
        <Button loading={working} onClick={() => setAsking(true)}>
          Wrap {number(waiting)} keys anew
        </Button>
      )}
      <Ask
        opened={asking}
        onClose={() => setAsking(false)}
        title="Wrap every key anew?"
        yes="Begin"
        act={() => {
          void begin();
          return Promise.resolve();
        }}
      >
        Everything goes on meanwhile. It can be stopped and begun again. Keep the old root key until nothing is left,
        and as long as you keep backups from before.
      </Ask>
    </Stack>
  );
}
