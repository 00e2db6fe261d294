import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Binding } from '@hcp/contracts';
import type { FormEvent } from 'react';
import { api } from '../../app/api.js';
import { useAct } from '../../app/act.js';
import { FormError } from '../../parts/form-error.js';
import { Loaded } from '../../parts/loading.js';
import { bindingsChanged, packQuery } from './queries.js';
import { readSecret, SecretFields, secretPaths } from './secret-fields.js';

/** A new secret in the place of the one that is there. */
export function Rotate({ binding: { id, pack_id }, onDone }: { binding: Binding; onDone: () => void }) {
  const pack = useQuery(packQuery(pack_id));
  const rotation = useAct(async (form: HTMLFormElement, fields: readonly string[]) => {
    await api.bindings.rotate(id, readSecret(form, fields));
    onDone();
    await bindingsChanged();
  });
  return (
    <Loaded query={pack}>
      {({ binding: needed }) => {
        if (needed === undefined) return <Text>This pack asks for no credential any more.</Text>;
        const submit = (event: FormEvent<HTMLFormElement>): void => {
          event.preventDefault();
          rotation.run(event.currentTarget, needed.fields);
        };
        return (
          <form onSubmit={submit}>
            <Stack>
              <Text size="sm">
                Runs that begin from now on have the new one. Approvals that were given before count no more.
              </Text>
              <SecretFields needed={needed} error={rotation.error} />
              <FormError error={rotation.error} fields={secretPaths(needed.fields)} />
              <Group justify="flex-end">
                <Button type="submit" loading={rotation.busy}>
                  Rotate
                </Button>
              </Group>
            </Stack>
          </form>
        );
      }}
    </Loaded>
  );
}
