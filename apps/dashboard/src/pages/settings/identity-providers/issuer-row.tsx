import { Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { LinkIdentity, OidcIssuer, UpdateOidcIssuer } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../../app/api.js';
import { Ask } from '../../../parts/ask.js';
import { Dialog } from '../../../parts/dialog.js';
import { Said } from '../../../parts/said.js';
import { EditIssuer } from './edit-issuer.js';
import { LinkSubject } from './link-subject.js';
import { issuersChanged } from './queries.js';

const KIND: Record<OidcIssuer['kind'], string> = { human: 'people', agent: 'agents', service: 'services' };

export function IssuerRow({ issuer }: { issuer: OidcIssuer }) {
  const { id } = issuer;
  const name = escapeInvisible(issuer.issuer);
  const [open, setOpen] = useState<'edit' | 'link' | 'remove' | null>(null);
  const edit = useMutation({
    mutationFn: async (value: UpdateOidcIssuer) => {
      await api.oidcIssuers.update(id, value);
      await issuersChanged();
    },
    onSuccess: () => setOpen(null),
  });
  const link = useMutation({
    mutationFn: (value: LinkIdentity) => api.oidcIssuers.link(id, value),
    onSuccess: () => setOpen(null),
  });
  const close = (): void => {
    edit.reset();
    link.reset();
    setOpen(null);
  };
  const remove = async (): Promise<void> => {
    await api.oidcIssuers.delete(id);
    await issuersChanged();
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="sm" align="flex-start">
        <div>
          <Text fw={600} className="hcp-value">
            {name}
          </Text>
          <Text size="sm" c="dimmed" className="hcp-value">
            {escapeInvisible(issuer.audience)}
          </Text>
          <Text size="sm" className="hcp-value">
            {summary(issuer)}
          </Text>
        </div>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setOpen('link')} aria-label={`Link a subject of ${name}`}>
            Link a subject
          </Button>
          <Menu position="bottom-end" width={160}>
            <Menu.Target>
              <Button size="xs" variant="default" aria-label={`More about ${name}`}>
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setOpen('edit')}>Edit</Menu.Item>
              <Menu.Item color="red" onClick={() => setOpen('remove')}>
                Remove
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
      <Said>{open === null && edit.isSuccess ? 'Saved. It counts from the next call on.' : null}</Said>
      <Said>
        {open === null && link.isSuccess ? 'Linked: tokens of that subject count as that principal now.' : null}
      </Said>
      <Dialog opened={open === 'edit'} onClose={close} title="Edit the provider">
        <EditIssuer
          issuer={issuer}
          pending={edit.isPending}
          error={edit.error}
          onSubmit={(value) => edit.mutate(value)}
        />
      </Dialog>
      <Dialog opened={open === 'link'} onClose={close} title="Link a subject">
        <LinkSubject pending={link.isPending} error={link.error} onSubmit={(value) => link.mutate(value)} />
      </Dialog>
      <Ask
        opened={open === 'remove'}
        onClose={close}
        title="Remove this provider?"
        yes="Remove the provider"
        danger
        act={remove}
      >
        Tokens of {name} are refused from the next call on, and the sessions that they opened end.
      </Ask>
    </Stack>
  );
}

function summary({ kind, jit, jit_role, interactive, algorithms, subject_claim }: OidcIssuer): string {
  const makes = jit
    ? `makes a principal for who first comes, ${jit_role === null ? 'without a role' : `as ${escapeInvisible(jit_role)}`}`
    : 'only linked subjects count';
  return [
    `For ${KIND[kind]}, by ${subject_claim}`,
    makes,
    interactive ? 'may approve' : 'may not approve',
    algorithms.join(', '),
  ].join(' · ');
}
