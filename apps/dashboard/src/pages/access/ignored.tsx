import { Paper, Stack, Text, Title } from '@mantine/core';
import type { Access } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { LAYER_WORDS } from '../../parts/layers.js';
import { ruleSentence } from './rule-sentence.js';

type Entry = Access['ignored'][number];

interface IgnoredProps {
  readonly access: Access;
  readonly project: string | null;
}

/** What somebody set and what does not count, each with why and what to do. */
export function Ignored({ access, project }: IgnoredProps) {
  const { ignored } = access;
  return (
    <Paper withBorder p="lg" component="section" aria-label="Ignored">
      <Stack gap="sm">
        <div>
          <Title order={2} size="h5">
            Set, but it does not count
          </Title>
          {ignored.length === 0 && (
            <Text size="sm" c="dimmed">
              Nothing: everything that was set{project === null ? '' : ', also in this project,'} counts.
            </Text>
          )}
        </div>
        {ignored.length > 0 && (
          <ul className="hcp-list" aria-label="Ignored">
            {ignored.map((entry) => (
              <li key={`${entry.layer} ${entry.setting}`} className="hcp-row">
                <Text size="sm" fw={500} className="hcp-value">
                  {whatOf(access, entry)}
                </Text>
                <Text size="sm" className="hcp-value">
                  Why: {escapeInvisible(entry.why)}.
                </Text>
                <Text size="sm" c="dimmed">
                  {adviceOf(access, entry)}
                </Text>
              </li>
            ))}
          </ul>
        )}
      </Stack>
    </Paper>
  );
}

/** `rules.0` is the first rule of its layer; anything else is a setting by name. */
const ruleOf = ({ layers }: Access, { layer, setting }: Entry) => {
  const index = /^rules\.(\d+)$/.exec(setting)?.[1];
  return index === undefined ? undefined : layers.find((each) => each.layer === layer)?.rules[Number(index)];
};

function whatOf(access: Access, entry: Entry): string {
  const rule = ruleOf(access, entry);
  const by = LAYER_WORDS[entry.layer];
  return rule === undefined ? `${entry.setting}, set by ${by}` : `The rule “${ruleSentence(rule)}” of ${by}`;
}

function adviceOf(access: Access, entry: Entry): string {
  const rule = ruleOf(access, entry);
  if (rule !== undefined && rule.suspended !== null) {
    return 'Read what the command does now, write the rule again if it still holds, and delete this one.';
  }
  switch (entry.layer) {
    case 'member':
      return 'Delete it, or have the tenant let members have settings of their own.';
    case 'process':
      return 'A person has to let this key or session loosen: hcpx mode run --for-key ID.';
    case 'project':
      return rule === undefined
        ? 'Take it away in the project, or loosen the tenant’s own setting.'
        : 'Delete it, or write it for everybody: a project only tightens.';
    case 'platform':
      return 'Only the operator can change it; what the tenant sets is stricter already.';
    default:
      return 'Take it away, or set what it needs.';
  }
}
