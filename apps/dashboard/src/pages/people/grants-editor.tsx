import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { Grant } from '@hcp/core';
import { atField } from '../../app/field-errors.js';
import { EMPTY_DRAFT, grantFrom, type GrantDraft } from './grant-draft.js';
import { GrantFields } from './grant-fields.js';
import { useProjectNames } from './queries.js';
import { Meaning, reach } from './rights.js';

type Wire = NonNullable<ReturnType<typeof grantFrom>>;

/** Several rights as somebody puts them together: those that are there, and one that is being filled in. */
export interface GrantsDraft {
  readonly list: readonly Wire[];
  readonly next: GrantDraft;
}
export const NO_GRANTS: GrantsDraft = { list: [], next: EMPTY_DRAFT };

export const draftOf = (grants: readonly Grant[]): GrantsDraft => ({
  list: grants.map(({ verb_keys, ...grant }) => ({ ...grant, ...(verb_keys && { verb_keys: [...verb_keys] }) })),
  next: EMPTY_DRAFT,
});

/** All of them: what was filled in and not added counts too. */
export function grantsFrom({ list, next }: GrantsDraft): Wire[] {
  const last = grantFrom(next);
  return last === null ? [...list] : [...list, last];
}

export interface GrantsEditorProps {
  readonly draft: GrantsDraft;
  readonly onChange: (draft: GrantsDraft) => void;
  readonly error?: unknown;
}

export function GrantsEditor({ draft, onChange, error }: GrantsEditorProps) {
  const projectName = useProjectNames();
  const { list, next } = draft;
  const add = (): void => {
    const grant = grantFrom(next);
    if (grant !== null) onChange({ list: [...list, grant], next: EMPTY_DRAFT });
  };
  const wrong = atField(error, '/grants');
  return (
    <Stack gap="sm">
      {list.length > 0 && (
        <ul className="hcp-list" aria-label="Rights">
          {list.map((grant, index) => {
            const said = atField(error, `/grants/${String(index)}`);
            return (
              <li key={JSON.stringify(grant)} className="hcp-row">
                <Group justify="space-between" wrap="nowrap">
                  <div className="hcp-value">
                    <Text>{Meaning(grant.capability)}</Text>
                    <Text size="sm" c="dimmed">
                      {reach(grant, projectName)}
                    </Text>
                    {said !== undefined && (
                      <Text size="sm" c="var(--mantine-color-error)">
                        {said}
                      </Text>
                    )}
                  </div>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Leave out: ${grant.capability}, ${reach(grant, projectName)}`}
                    onClick={() => onChange({ list: list.filter((each) => each !== grant), next })}
                  >
                    <IconX size={16} aria-hidden />
                  </ActionIcon>
                </Group>
              </li>
            );
          })}
        </ul>
      )}
      <GrantFields
        draft={next}
        onChange={(changed) => onChange({ list, next: changed })}
        error={error}
        at={`/grants/${String(list.length)}`}
      />
      {wrong !== undefined && list.length === 0 && next.capability === null && (
        <Text size="sm" c="var(--mantine-color-error)">
          {wrong}
        </Text>
      )}
      <Group>
        <Button variant="default" size="xs" disabled={next.capability === null} onClick={add}>
          Add another right
        </Button>
      </Group>
    </Stack>
  );
}
