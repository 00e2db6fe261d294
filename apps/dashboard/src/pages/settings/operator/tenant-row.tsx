import { Badge, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { CreatedInvitation, RotatedDataKey, Tenant } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { useState } from 'react';
import { api } from '../../../app/api.js';
import { exactMoment, moment } from '../../../app/format.js';
import { useMe } from '../../../app/session.js';
import { Ask } from '../../../parts/ask.js';
import { Dialog } from '../../../parts/dialog.js';
import { ErrorBox } from '../../../parts/error-box.js';
import { Said } from '../../../parts/said.js';
import { InviteOwner } from './invite-owner.js';
import { tenantsChanged } from './queries.js';

interface TenantRowProps {
  readonly tenant: Tenant;
  readonly onInvited: (invitation: CreatedInvitation) => void;
}

export function TenantRow({ tenant, onInvited }: TenantRowProps) {
  const me = useMe();
  const { id, slug, platform, stopped_at, created_at } = tenant;
  const name = escapeInvisible(tenant.name);
  const [open, setOpen] = useState<'stop' | 'invite' | 'key' | null>(null);
  const [key, setKey] = useState<RotatedDataKey | null>(null);
  const close = (): void => setOpen(null);
  const resume = useMutation({
    mutationFn: async () => {
      await api.tenants.resume(id);
      await tenantsChanged();
    },
  });
  const stop = async (): Promise<void> => {
    await api.tenants.stop(id);
    resume.reset();
    await tenantsChanged();
  };
  const invite = async (email: string): Promise<void> => {
    onInvited(await api.tenants.inviteOwner(id, email));
    close();
  };
  // The operator's own tenant is not stopped from within.
  const own = id === me.tenant.id;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="sm" align="flex-start">
        <div>
          <Group gap="xs">
            <Text fw={600} className="hcp-value">
              {name}
            </Text>
            {platform && <Badge variant="outline">platform</Badge>}
            {stopped_at !== null && (
              <Badge variant="light" color="red">
                stopped
              </Badge>
            )}
          </Group>
          <Text size="sm" c="dimmed" className="hcp-value">
            {slug} · created {moment(created_at)}
            {stopped_at !== null && ` · stopped ${moment(stopped_at)}`}
          </Text>
        </div>
        <Group gap="xs">
          {stopped_at === null ? (
            !own && (
              <Button
                size="xs"
                variant="outline"
                color="red"
                onClick={() => setOpen('stop')}
                aria-label={`Stop ${name}`}
              >
                Stop
              </Button>
            )
          ) : (
            <Button
              size="xs"
              loading={resume.isPending}
              onClick={() => resume.mutate()}
              aria-label={`Let ${name} go on`}
            >
              Let it go on
            </Button>
          )}
          <Menu position="bottom-end" width={210}>
            <Menu.Target>
              <Button size="xs" variant="default" aria-label={`More about ${name}`}>
                More
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={() => setOpen('invite')}>Invite an owner anew</Menu.Item>
              <Menu.Item onClick={() => setOpen('key')}>Make a new data key</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Group>
      {resume.isError && <ErrorBox error={resume.error} />}
      <Said>{resume.isSuccess ? `${name} goes on. Its people can sign in again.` : null}</Said>
      <Said>
        {key === null
          ? null
          : `Data key ${String(key.version)} is made. It seals from ${exactMoment(key.seals_from)} on.`}
      </Said>
      <Ask opened={open === 'stop'} onClose={close} title={`Stop ${name}?`} yes="Stop the tenant" danger act={stop}>
        At once: its people are signed out, its keys are refused, its queued and running runs are cancelled. Nothing of
        it is deleted, and you can let it go on.
      </Ask>
      <Ask
        opened={open === 'key'}
        onClose={close}
        title="Make a new data key?"
        yes="Make a new key"
        act={async () => setKey(await api.rootKeys.rotateDataKey(id))}
      >
        What {name} stores from then on is sealed with it. The older keys go on opening what they sealed.
      </Ask>
      <Dialog opened={open === 'invite'} onClose={close} title={`Invite an owner of ${name} anew`}>
        <InviteOwner onInvite={invite} />
      </Dialog>
    </Stack>
  );
}
