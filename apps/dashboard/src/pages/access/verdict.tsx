import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import type { AccessTest } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { LAYER_WORDS } from '../../parts/layers.js';
import { DECISION } from './decision.js';
import { ruleAnchor } from './rule-row.js';
import { ruleSentence } from './rule-sentence.js';

/** What would happen, who decided it, and what to do about it. */
export function Verdict({ test }: { test: AccessTest }) {
  const { decision, error, hint, access, preview, ignored } = test;
  const { color, label } = DECISION[decision];
  return (
    <Alert color={color} variant="light" role="status" title={`It ${label}`}>
      <Stack gap="xs">
        <Decider test={test} />
        {error !== null && (
          <Text size="sm" className="hcp-value">
            {escapeInvisible(error)}
          </Text>
        )}
        {decision === 'ask' && access !== null && (
          <Text size="sm">
            {access.approvals === 'agent'
              ? 'A person’s yes counts, and where only a pack’s policy asks an agent’s own confirm too.'
              : 'Only a person’s yes counts.'}
          </Text>
        )}
        {hint !== null && <Text size="sm">{escapeInvisible(hint)}</Text>}
        {preview !== null && <Code block>{escapeInvisible(preview.cli)}</Code>}
        {ignored.length > 0 && (
          <List size="sm">
            {ignored.map(({ layer, setting, why }) => (
              <List.Item key={`${layer} ${setting}`}>
                Did not count: {setting} of {LAYER_WORDS[layer]}, because {why}.
              </List.Item>
            ))}
          </List>
        )}
      </Stack>
    </Alert>
  );
}

/** The rule, the mode or the missing right that decided, with a way to it. */
function Decider({ test }: { test: AccessTest }) {
  const { rule, mode, layer, reason, code } = test;
  const by = layer === null ? '' : LAYER_WORDS[layer];
  if (rule !== null) {
    return (
      <Group gap="xs">
        <Text size="sm" className="hcp-value">
          A rule of {by} decides: {ruleSentence(rule)}.
        </Text>
        {rule.id !== null && <ShowButton anchor={ruleAnchor(rule.id)}>Show the rule</ShowButton>}
      </Group>
    );
  }
  if (test.access?.reason_code === 'confirm_always') {
    return (
      <Text size="sm">
        No rule fits, and this command asks in every mode. Only a rule that names exactly this command lets it run.
      </Text>
    );
  }
  if (mode !== null && code !== 'invalid_args') {
    return (
      <Group gap="xs">
        <Text size="sm">
          No rule fits. The mode {mode} decides, set by {by}: {reason}.
        </Text>
        <ShowButton anchor="mode">Show the mode</ShowButton>
      </Group>
    );
  }
  if (code === 'missing_capability') return <Text size="sm">No rule and no mode was asked: a right is missing.</Text>;
  if (code === 'invalid_args')
    return <Text size="sm">No rule and no mode was asked: the call itself is not valid.</Text>;
  return reason === null ? null : <Text size="sm">{reason}.</Text>;
}

/** Leads to what decided, where it is on this page. */
function ShowButton({ anchor, children }: { anchor: string; children: string }) {
  const show = (): void => {
    const found = document.getElementById(anchor);
    found?.scrollIntoView({ block: 'center' });
    found?.focus({ preventScroll: true });
  };
  if (document.getElementById(anchor) === null) return null;
  return (
    <Button size="xs" variant="default" onClick={show}>
      {children}
    </Button>
  );
}
