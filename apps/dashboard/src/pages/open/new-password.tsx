import { PasswordInput } from '@mantine/core';
import { newPasswordSchema } from '@hcp/contracts';

const LEAST = newPasswordSchema.minLength ?? 0;

export interface NewPasswordProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly error?: string | undefined;
  /** What else there is to know. */
  readonly more?: string;
}

/** Says the rules before somebody breaks them. */
export function NewPassword({ label, value, onChange, error, more }: NewPasswordProps) {
  return (
    <PasswordInput
      label={label}
      description={`At least ${String(LEAST)} characters; a few words that you remember make a good one.${more === undefined ? '' : ` ${more}`}`}
      name="password"
      autoComplete="new-password"
      required
      minLength={LEAST}
      value={value}
      error={error}
      aria-invalid={error !== undefined}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
