import { List, Paper, Text, Title } from '@mantine/core';
import type { Access } from '@hcp/contracts';
import { escapeInvisible, type Settings, settingsSchema } from '@hcp/core';
import { DECISION } from '../../access/decision.js';

/** What the operator of this installation set: it holds in every tenant, and nobody loosens it here. */
export function Operator({ access }: { access: Access }) {
  const layer = access.layers.find(({ layer }) => layer === 'platform');
  if (layer === undefined) return null;
  const parsed = settingsSchema.safeParse(layer.settings);
  const settings: Settings = parsed.success ? parsed.data : {};
  return (
    <Paper withBorder p="lg" component="section" aria-label="Set by the operator">
      <Title order={2} size="h5">
        Set by the operator
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        These hold in every tenant of this installation. They can be made stricter here, never looser.
      </Text>
      <List size="sm">
        {settings.mode !== undefined && <List.Item>The mode is at least as strict as {settings.mode}.</List.Item>}
        {Object.entries(settings.packs ?? {}).map(([pack_id, { mode }]) => (
          <List.Item key={pack_id}>
            The mode of {pack_id} is at least as strict as {mode}.
          </List.Item>
        ))}
        {settings.approvals === 'human' && <List.Item>Only a person’s yes counts, never an agent’s.</List.Item>}
        {layer.rules.map(({ match, decision }, index) => (
          <List.Item key={`${match} ${String(index)}`}>
            {escapeInvisible(match)} {DECISION[decision].label}.
          </List.Item>
        ))}
      </List>
    </Paper>
  );
}

/** Whether the operator lets no agent's yes count. */
export const operatorWantsPeople = ({ layers }: Access): boolean =>
  layers.some(({ layer, settings }) => layer === 'platform' && settings['approvals'] === 'human');
