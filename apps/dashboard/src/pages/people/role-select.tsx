import { Select } from '@mantine/core';
import type { Me, Role } from '@hcp/contracts';
import { mayGive, within } from './rights.js';

export interface RoleSelectProps {
  readonly me: Me;
  readonly roles: readonly Role[];
  /** Where it would count. */
  readonly project_id: string | null;
  readonly value: string | null;
  readonly onChange: (role: string | null) => void;
  readonly error?: string | undefined;
  readonly required?: boolean;
}

/** The roles; one that gives more than this person holds is there and cannot be chosen, so that one sees why. */
export function RoleSelect({ me, roles, project_id, value, onChange, error, required = false }: RoleSelectProps) {
  return (
    <Select
      label="Role"
      placeholder="Choose one"
      searchable
      withAsterisk={required}
      aria-required={required}
      data={roles.map(({ name, grants }) => {
        const fits = mayGive(me, within(project_id, grants));
        return { value: name, label: fits ? name : `${name} (gives more than you hold)`, disabled: !fits };
      })}
      value={value}
      error={error}
      onChange={onChange}
    />
  );
}
