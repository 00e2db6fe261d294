import { Alert, Button, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { HcpError } from '@hcp/sdk';
import type { Approval, Approve } from '@hcp/contracts';
import { useState } from 'react';
import { api } from '../../app/api.js';
import { useNow } from '../../app/clock.js';
import { queryClient } from '../../app/queries.js';
import { may, useMe } from '../../app/session.js';
import { ErrorBox } from '../../parts/error-box.js';
import { RuleWords } from './rule-words.js';

type Option = NonNullable<Approve['option']>;
type Answer = { readonly decision: 'approve'; readonly option: Option } | { readonly decision: 'reject' };

/** Why this person cannot decide now; null where they can. */
function useHindrance({ second_person, principal_id, acts_for, decisions }: Approval): string | null {
  const me = useMe();
  if (!may(me, 'approval.decide')) return 'You can see this request, but deciding takes the right to decide approvals.';
  if (second_person && [principal_id, acts_for].includes(me.principal.id)) {
    return 'Somebody else has to decide: you, or an agent of yours, asked for this.';
  }
  if (decisions.some((each) => each.principal_id === me.principal.id)) {
    return 'You have said yes. It takes more people: they see this request too.';
  }
  return null;
}

/** Yes once, yes for the session, or no; with the digest of the very card that is on the page (SPEC V4, C4). */
export function Decide({ approval }: { approval: Approval }) {
  const hindrance = useHindrance(approval);
  const over = new Date(approval.pending_expires_at).getTime() <= useNow();
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);

  const answer = useMutation({
    mutationFn: async (given: Answer) => {
      const said = reason.trim() === '' ? {} : { reason: reason.trim() };
      if (given.decision === 'reject') return api.approvals.reject(approval.id, said);
      const { card_digest } = approval;
      return api.approvals.approve(approval.id, {
        option: given.option,
        ...said,
        ...(card_digest !== null && { card_digest }),
      });
    },
    // Also after a refusal: a 409 says that what is shown is old.
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['approval', approval.id] });
      void queryClient.invalidateQueries({ queryKey: ['approvals'] });
    },
  });
  const give = (given: Answer): void => {
    const needed = approval.reason_required && reason.trim() === '';
    setMissing(needed);
    if (!needed) answer.mutate(given);
  };

  if (over) return null;
  if (hindrance !== null) {
    return (
      <Alert color="blue" variant="light" role="note">
        {hindrance}
      </Alert>
    );
  }
  const unread = approval.card_digest === null;
  const session = approval.card?.options.find((option) => option.kind === 'allow_session');
  return (
    <Paper withBorder p="lg" component="section" aria-label="Your decision">
      <Stack gap="sm">
        <Title order={2} size="h5">
          Your decision
        </Title>
        {answer.isError && <ErrorBox error={answer.error} {...titleOf(answer.error)} />}
        <Textarea
          label={approval.reason_required ? 'Reason' : 'Reason (if you want to give one)'}
          withAsterisk={approval.reason_required}
          aria-required={approval.reason_required}
          autosize={false}
          rows={3}
          maxLength={2000}
          value={reason}
          error={missing ? 'Say why: this request needs a reason.' : undefined}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Text size="sm" c="dimmed">
          {approval.run_on_approve
            ? 'With your yes it runs at once.'
            : 'With your yes nothing runs yet: whoever asked may then run it once.'}
        </Text>
        {unread && <Text size="sm">Open the card in full first: it does not show every value whole.</Text>}
        <Button
          color="green"
          disabled={unread}
          loading={
            answer.isPending && answer.variables.decision === 'approve' && answer.variables.option === 'allow_once'
          }
          onClick={() => give({ decision: 'approve', option: 'allow_once' })}
        >
          Allow once
        </Button>
        {session && (
          <Stack gap={4}>
            <Button
              variant="default"
              disabled={unread || answer.isPending}
              onClick={() => give({ decision: 'approve', option: 'allow_session' })}
            >
              Allow for the session
            </Button>
            <RuleWords rule={session.rule} />
          </Stack>
        )}
        <Button variant="outline" color="red" disabled={answer.isPending} onClick={() => give({ decision: 'reject' })}>
          Reject
        </Button>
      </Stack>
    </Paper>
  );
}

/** A 409 here has one meaning to a person: somebody was faster, or it ran out, or the card is another one. */
const titleOf = (error: unknown): { title?: string } =>
  error instanceof HcpError && error.code === 'conflict' ? { title: 'Your answer did not count' } : {};
