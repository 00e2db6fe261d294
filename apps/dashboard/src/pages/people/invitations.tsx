import { Alert, Badge, Button, Group, Select, Stack, Table, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type CreatedInvitation, INVITATION_HOURS, INVITATION_STATES, type Invitation } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { type FormEvent, useState } from 'react';
import { useAct } from '../../app/act.js';
import { api } from '../../app/api.js';
import { atField } from '../../app/field-errors.js';
import { moment } from '../../app/format.js';
import { useMe } from '../../app/session.js';
import { Ask } from '../../parts/ask.js';
import { Empty } from '../../parts/empty.js';
import { FormError } from '../../parts/form-error.js';
import { Paged } from '../../parts/paged.js';
import { Section } from '../../parts/section.js';
import { ShownOnce } from '../../parts/shown-once.js';
import { PeopleFrame } from './frame.js';
import { ProjectSelect } from './project-select.js';
import { invitationPages, peopleChanged, ROLES, useProjectNames } from './queries.js';
import { RoleSelect } from './role-select.js';

export function Invitations() {
  return (
    <PeopleFrame title="Invitations" about="People come in by a link that is good once, with the role that it gives.">
      <Content />
    </PeopleFrame>
  );
}

function Content() {
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  const [state, setState] = useState<Invitation['state'] | null>('open');
  const list = useInfiniteQuery(invitationPages(state));
  return (
    <>
      <Section title="Invite somebody">
        {made === null ? <Invite onMade={setMade} /> : <Made made={made} onDone={() => setMade(null)} />}
      </Section>
      <Select
        label="State"
        placeholder="Any"
        clearable
        w={170}
        data={INVITATION_STATES.map((value) => ({ value, label: value }))}
        value={state}
        onChange={(value) => setState(value)}
      />
      <Paged
        list={list}
        empty={
          state === null ? (
            <Empty title="Nobody was invited yet" />
          ) : (
            <Empty title={`No invitation is ${state}`}>Choose another state, or clear it to see all.</Empty>
          )
        }
      >
        {(invitations) => <Rows invitations={invitations} onMade={setMade} />}
      </Paged>
    </>
  );
}

/** Where the link is: with the person, or here, this once. */
function Made({ made, onDone }: { made: CreatedInvitation; onDone: () => void }) {
  const email = escapeInvisible(made.email);
  if (made.link !== null) {
    return (
      <ShownOnce
        title={`The link for ${email}`}
        secret={made.link}
        next={`This server sends no mail: pass it on to ${email} and to nobody else. It is good once, for ${String(INVITATION_HOURS)} hours. Once it is lost, invite them anew.`}
        onDone={onDone}
      />
    );
  }
  return (
    <Alert color="green" variant="light" role="status" title="Invited">
      <Stack gap="sm" align="flex-start">
        <Text size="sm" className="hcp-value">
          A mail with the link is on its way to {email}. It is good once, for {INVITATION_HOURS} hours.
        </Text>
        <Button size="xs" variant="default" onClick={onDone}>
          Invite somebody else
        </Button>
      </Stack>
    </Alert>
  );
}

function Invite({ onMade }: { onMade: (made: CreatedInvitation) => void }) {
  const me = useMe();
  const roles = useQuery(ROLES);
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<string | null>('member');
  const [project_id, setProject] = useState<string | null>(null);
  const invite = useAct(async () => {
    if (role === null) return;
    const made = await api.invitations.create({
      email: email.trim(),
      role,
      ...(project_id !== null && { project_id }),
    });
    await peopleChanged();
    onMade(made);
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    invite.run();
  };
  return (
    <form onSubmit={submit} aria-label="Invite somebody">
      <Stack gap="sm">
        <FormError error={invite.error} fields={['/email', '/role', '/project_id']} />
        <Group gap="sm" align="flex-start">
          <TextInput
            label="Email"
            type="email"
            required
            autoComplete="off"
            maxLength={254}
            value={email}
            error={atField(invite.error, '/email')}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <RoleSelect
            me={me}
            roles={roles.data ?? []}
            project_id={project_id}
            required
            value={role}
            onChange={setRole}
            error={atField(invite.error, '/role')}
          />
          <ProjectSelect
            label="In"
            placeholder="The whole tenant"
            value={project_id}
            onChange={setProject}
            error={atField(invite.error, '/project_id')}
          />
        </Group>
        <Group>
          <Button type="submit" loading={invite.busy} disabled={role === null}>
            Invite
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const COLOR: Record<Invitation['state'], string> = {
  open: 'blue',
  accepted: 'green',
  revoked: 'gray',
  expired: 'gray',
};

interface RowsProps {
  readonly invitations: readonly Invitation[];
  readonly onMade: (made: CreatedInvitation) => void;
}

function Rows({ invitations, onMade }: RowsProps) {
  const projectName = useProjectNames();
  const [asked, setAsked] = useState<{ act: 'revoke' | 'resend'; invitation: Invitation } | null>(null);
  const close = (): void => setAsked(null);
  const email = asked === null ? '' : escapeInvisible(asked.invitation.email);
  const revoke = async (): Promise<void> => {
    if (asked === null) return;
    await api.invitations.delete(asked.invitation.id);
    await peopleChanged();
  };
  const resend = async (): Promise<void> => {
    if (asked === null) return;
    const { id, role, project_id, state } = asked.invitation;
    const made = await api.invitations.create({
      email: asked.invitation.email,
      role,
      ...(project_id !== null && { project_id }),
    });
    if (state === 'open') await api.invitations.delete(id);
    await peopleChanged();
    onMade(made);
    window.scrollTo({ top: 0 });
  };
  return (
    <>
      <Table aria-label="Invitations">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Email</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>
              <VisuallyHidden>Act</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {invitations.map((invitation) => {
            const { id, role, project_id, expires_at, state } = invitation;
            return (
              <Table.Tr key={id}>
                <Table.Td className="hcp-value">
                  {escapeInvisible(invitation.email)}
                  <Text size="sm" c="dimmed">
                    {role}
                    {project_id !== null && ` in ${projectName(project_id)}`} ·{' '}
                    {state === 'open' ? 'good until' : 'was good until'} {moment(expires_at)}
                  </Text>
                </Table.Td>
                <Table.Td>
                  <Badge variant="light" color={COLOR[state]}>
                    {state}
                  </Badge>
                </Table.Td>
                <Table.Td>
                  <Group gap="xs">
                    {(state === 'open' || state === 'expired') && (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`Invite anew: ${invitation.email}`}
                        onClick={() => setAsked({ act: 'resend', invitation })}
                      >
                        Invite anew
                      </Button>
                    )}
                    {state === 'open' && (
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={`Revoke the invitation of ${invitation.email}`}
                        onClick={() => setAsked({ act: 'revoke', invitation })}
                      >
                        Revoke
                      </Button>
                    )}
                  </Group>
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
      <Ask
        opened={asked?.act === 'revoke'}
        onClose={close}
        title="Revoke this invitation?"
        yes="Revoke it"
        danger
        act={revoke}
      >
        The link of {email} is good no longer.
      </Ask>
      <Ask opened={asked?.act === 'resend'} onClose={close} title="Invite anew?" yes="Make a new link" act={resend}>
        {email} gets a new link, good for {INVITATION_HOURS} hours, and the one before is good no longer.
      </Ask>
    </>
  );
}
