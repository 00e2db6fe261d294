import { Paper, Stack, Text, Title } from '@mantine/core';
import { escapeInvisible } from '@hcp/core';
import type { Approval } from '@hcp/contracts';
import type { ReactNode } from 'react';
import { moment, spaced } from '../../app/format.js';
import { useWho } from '../../app/who.js';
import { Countdown } from '../../parts/countdown.js';

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      </dt>
      <dd className="hcp-value">{children}</dd>
    </div>
  );
}

/** Who asked, why it asks, how long it waits, and who has said what. */
export function Facts({ approval }: { approval: Approval }) {
  const who = useWho();
  const { principal_id, principal_kind, acts_for, card, decisions, approvers, second_person, state } = approval;
  const open = state === 'pending' || state === 'approved';
  const yes = decisions.filter(({ decision }) => decision === 'approve').length;
  return (
    <Paper withBorder p="lg" component="section" aria-label="About this request">
      <Stack gap="sm">
        <Title order={2} size="h5">
          About this request
        </Title>
        <dl className="hcp-facts">
          <Fact label="Asked by">
            {who(principal_id, approval.principal_name, principal_kind)} ({principal_kind}
            {acts_for === null ? '' : `, acting for ${who(acts_for, approval.acts_for_name, 'human')}`})
          </Fact>
          <Fact label="Asked at">{moment(approval.created_at)}</Fact>
          <Fact label="Why a person is asked">
            {card === null ? spaced(approval.reason_code) : escapeInvisible(card.reason)}
            <Text size="xs" c="dimmed">
              {spaced(approval.reason_code)} · mode {approval.mode}
            </Text>
          </Fact>
          {state === 'pending' && (
            <Fact label="Waits for a person for">
              <Countdown until={approval.pending_expires_at} over="no longer" />
            </Fact>
          )}
          {open && (
            <Fact label="A yes covers">
              {approval.use_expires_at === null ? (
                'one run, within 15 minutes of the yes'
              ) : (
                <>
                  one run, for <Countdown until={approval.use_expires_at} over="no longer" />
                </>
              )}
            </Fact>
          )}
          {open && (
            <Fact label="After the yes">
              {approval.run_on_approve ? 'it runs at once' : 'whoever asked has to run it themselves'}
            </Fact>
          )}
          <Fact label="Who must say yes">
            {approvers === 1 ? 'one person' : `${String(approvers)} different people`}
            {second_person ? ', not whoever asked or owns the agent' : ''}
            {state === 'pending' && approvers > 1 && (
              <Text size="sm">
                {yes} said yes, {Math.max(0, approvers - yes)} more needed
              </Text>
            )}
          </Fact>
          {decisions.map(({ principal_id: by, principal_name, decision, option, reason, at }) => (
            <Fact key={`${by} ${at}`} label={`${who(by, principal_name, 'human')} · ${moment(at)}`}>
              {decision === 'approve' ? (option === 'allow_session' ? 'yes, for the session' : 'yes, once') : 'no'}
              {reason !== null && reason !== '' && <Text size="sm">“{escapeInvisible(reason)}”</Text>}
            </Fact>
          ))}
        </dl>
      </Stack>
    </Paper>
  );
}
