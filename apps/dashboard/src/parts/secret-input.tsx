import { PasswordInput } from '@mantine/core';

export interface SecretInputProps {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly error?: string | undefined;
}

/**
 * Takes a secret that is not this person's password here. It holds what is typed itself: whoever sends the form reads it there,
 * and it is gone with the form. No browser and no password manager is to offer to keep it.
 */
export function SecretInput({ label, error, ...rest }: SecretInputProps) {
  return (
    <PasswordInput
      {...rest}
      label={label}
      autoComplete="off"
      spellCheck={false}
      data-1p-ignore
      data-lpignore="true"
      visibilityToggleButtonProps={{ 'aria-label': `Show: ${label}` }}
      error={error}
      aria-invalid={error !== undefined}
    />
  );
}
