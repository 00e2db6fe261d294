import { Checkbox, Group, Select, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { OidcIssuer } from '@hcp/contracts';
import { oidcAlgorithmSchema } from '@hcp/contracts';
import { escapeInvisible } from '@hcp/core';
import { atField } from '../../../app/field-errors.js';
import { ROLES } from './queries.js';

/** What may change of a provider once it is there. */
export type IssuerSettings = Pick<OidcIssuer, 'algorithms' | 'email_claim' | 'jit' | 'jit_role' | 'interactive'>;

export const FRESH: IssuerSettings = {
  algorithms: [...oidcAlgorithmSchema.options],
  email_claim: null,
  jit: false,
  jit_role: null,
  interactive: false,
};

export const SETTING_PATHS = ['/algorithms', '/email_claim', '/jit', '/jit_role', '/interactive'];

interface IssuerSettingsFieldsProps {
  readonly value: IssuerSettings;
  readonly onChange: (value: IssuerSettings) => void;
  readonly error: unknown;
}

export function IssuerSettingsFields({ value, onChange, error }: IssuerSettingsFieldsProps) {
  const roles = useQuery(ROLES);
  const set = (part: Partial<IssuerSettings>): void => onChange({ ...value, ...part });
  const names = roles.data?.map(({ name }) => name) ?? [];
  return (
    <>
      <Checkbox.Group
        label="Signed with"
        value={value.algorithms}
        error={atField(error, '/algorithms')}
        onChange={(chosen) =>
          set({ algorithms: oidcAlgorithmSchema.options.filter((algorithm) => chosen.includes(algorithm)) })
        }
      >
        <Group mt="xs">
          {oidcAlgorithmSchema.options.map((algorithm) => (
            <Checkbox key={algorithm} value={algorithm} label={algorithm} />
          ))}
        </Group>
      </Checkbox.Group>
      <TextInput
        label="Claim with the email address"
        description="Shown with the principal; never used to find anybody."
        placeholder="email"
        value={value.email_claim ?? ''}
        error={atField(error, '/email_claim')}
        onChange={({ currentTarget }) =>
          set({ email_claim: currentTarget.value.trim() === '' ? null : currentTarget.value.trim() })
        }
      />
      <Switch
        label="Make a principal when a subject first comes"
        description="Otherwise only subjects that were linked to a principal count."
        checked={value.jit}
        error={atField(error, '/jit')}
        onChange={({ currentTarget }) =>
          set({ jit: currentTarget.checked, ...(!currentTarget.checked && { jit_role: null }) })
        }
      />
      {value.jit && (
        <Select
          label="Role of principals made so"
          description="You must hold all that it gives. Without one they may do nothing."
          placeholder="None"
          clearable
          data={names.map((name) => ({ value: name, label: escapeInvisible(name) }))}
          value={value.jit_role}
          error={atField(error, '/jit_role')}
          onChange={(jit_role) => set({ jit_role })}
        />
      )}
      <Switch
        label="Its tokens prove that a person sits there"
        description="Then they may approve and change access. Only who holds all of an owner may set it."
        checked={value.interactive}
        error={atField(error, '/interactive')}
        onChange={({ currentTarget }) => set({ interactive: currentTarget.checked })}
      />
    </>
  );
}
