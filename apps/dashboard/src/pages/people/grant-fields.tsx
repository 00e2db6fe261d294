import { Group, MultiSelect, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { CAPABILITIES } from '@hcp/core';
import { atField } from '../../app/field-errors.js';
import { may, useMe } from '../../app/session.js';
import { type GrantDraft, isOfPacks } from './grant-draft.js';
import { packCommands, PACKS } from './queries.js';
import { ProjectSelect } from './project-select.js';
import { Meaning } from './rights.js';

export interface GrantFieldsProps {
  readonly draft: GrantDraft;
  readonly onChange: (draft: GrantDraft) => void;
  readonly error?: unknown;
  /** JSON pointer of the grant in what is sent. */
  readonly at?: string;
  readonly required?: boolean;
}

/** One right and its limits. What this person does not hold at all is not offered: nobody gives more than they hold. */
export function GrantFields({ draft, onChange, error, at = '', required = false }: GrantFieldsProps) {
  const me = useMe();
  const { capability, pack_id, ends } = draft;
  const offered = CAPABILITIES.filter((each) => may(me, each));
  return (
    <Stack gap="sm">
      <Select
        label="Right"
        description="Only what you hold yourself can be given."
        placeholder="Choose one"
        searchable
        withAsterisk={required}
        aria-required={required}
        data={offered.map((value) => ({ value, label: `${Meaning(value)} (${value})` }))}
        value={capability}
        error={atField(error, ...(at === '' ? [''] : [at]), `${at}/capability`)}
        onChange={(value) => {
          const next = value;
          onChange({ ...draft, capability: next, ...(!isOfPacks(next) && { pack_id: null, verb_keys: [] }) });
        }}
      />
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        {isOfPacks(capability) && (
          <PackSelect draft={draft} onChange={onChange} error={atField(error, `${at}/pack_id`)} />
        )}
        {pack_id !== null && (
          <Commands pack_id={pack_id} draft={draft} onChange={onChange} error={atField(error, `${at}/verb_keys`)} />
        )}
        <ProjectSelect
          label="In the project"
          placeholder="The whole tenant"
          value={draft.project_id}
          error={atField(error, `${at}/project_id`)}
          onChange={(project_id) => onChange({ ...draft, project_id })}
        />
        <TextInput
          type="datetime-local"
          label="Ends"
          value={ends}
          error={atField(error, `${at}/expires_at`)}
          onChange={({ currentTarget }) => onChange({ ...draft, ends: currentTarget.value })}
        />
      </Group>
    </Stack>
  );
}

type Part = Pick<GrantFieldsProps, 'draft' | 'onChange'> & { readonly error: string | undefined };

function PackSelect({ draft, onChange, error }: Part) {
  const packs = useQuery(PACKS);
  return (
    <Select
      label="Of the pack"
      placeholder="Any pack"
      clearable
      searchable
      data={packs.data?.map(({ pack_id }) => pack_id) ?? []}
      value={draft.pack_id}
      error={error}
      onChange={(pack_id) => onChange({ ...draft, pack_id, verb_keys: [] })}
    />
  );
}

function Commands({ pack_id, draft, onChange, error }: Part & { pack_id: string }) {
  const pack = useQuery(packCommands(pack_id));
  return (
    <MultiSelect
      label="Commands"
      placeholder={draft.verb_keys.length === 0 ? 'Every command' : ''}
      clearable
      searchable
      data={pack.data?.commands.map(({ verb_key }) => verb_key) ?? []}
      value={[...draft.verb_keys]}
      error={error}
      onChange={(verb_keys) => onChange({ ...draft, verb_keys })}
    />
  );
}
