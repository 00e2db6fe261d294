import { Group, Paper, Stack, Text } from '@mantine/core';
import { type Card, escapeInvisible } from '@hcp/core';
import type { Approval } from '@hcp/contracts';
import { moment } from '../../app/format.js';
import { useWho } from '../../app/who.js';
import { Countdown } from '../../parts/countdown.js';
import { TextLink } from '../../parts/link.js';
import { ApprovalBadge } from './state-badge.js';

/** Of how many fields, and how much of each, a row shows enough to tell requests apart. */
const FIELDS = 5;
const LENGTH = 60;

const gist = ({ view }: Card): string =>
  view.fields
    .slice(0, FIELDS)
    .map(({ name, value }) => {
      const text = escapeInvisible(value);
      return `${escapeInvisible(name)} ${text.length > LENGTH ? `${text.slice(0, LENGTH)}…` : text}`;
    })
    .join(' · ');

/** One request in a list: what is asked, by whom, what to look out for, and how long it waits. */
export function ApprovalRow({ approval }: { approval: Approval }) {
  const who = useWho();
  const { id, card, pack_id, verb_key, state, principal_id, principal_kind, acts_for, created_at } = approval;
  const asks = acts_for === null ? '' : ` for ${who(acts_for, approval.acts_for_name, 'human')}`;
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="sm">
        <Stack gap={4} miw={0}>
          <TextLink to="/approvals/$id" params={{ id }} fw={600} className="hcp-value">
            {card ? escapeInvisible(card.view.title) : `${pack_id} ${verb_key}`}
          </TextLink>
          <Text size="sm" c="dimmed" className="hcp-value">
            {pack_id} {verb_key} · asked by {who(principal_id, approval.principal_name, principal_kind)}
            {asks} · {moment(created_at)}
          </Text>
          {card && card.view.fields.length > 0 && (
            <Text size="sm" className="hcp-value">
              {gist(card)}
            </Text>
          )}
          {card && card.view.signals.length > 0 && (
            <Text size="sm">{card.view.signals.map(({ text }) => escapeInvisible(text)).join(' · ')}</Text>
          )}
        </Stack>
        <Stack gap={4} align="flex-end" className="hcp-fixed">
          <ApprovalBadge state={state} />
          {state === 'pending' && (
            <Text size="sm" c="dimmed">
              <Countdown until={approval.pending_expires_at} /> left
            </Text>
          )}
        </Stack>
      </Group>
    </Paper>
  );
}
