import { Stack, Text, TextInput } from '@mantine/core';
import type { PackDetail } from '@hcp/contracts';
import { atField } from '../../app/field-errors.js';
import { SecretInput } from '../../parts/secret-input.js';
import { fieldLabel, goesTo } from './words.js';

interface SecretFieldsProps {
  readonly needed: NonNullable<PackDetail['binding']>;
  readonly error: unknown;
}

/** One input for each field. They hold what is typed themselves: it is read when the form is sent, and gone with the form. */
export function SecretFields({ needed, error }: SecretFieldsProps) {
  return (
    <Stack gap="sm">
      {needed.fields.map((field) => (
        <SecretInput
          key={field}
          name={`field ${field}`}
          label={fieldLabel(field)}
          description={goesTo(needed.uses, field)}
          required
          error={atField(error, pathOf(field))}
        />
      ))}
      <TextInput
        type="datetime-local"
        name="expires"
        label="Ends"
        description="When the credential runs out, where it does: you are told then."
        error={atField(error, '/expires_at')}
      />
      <Text size="sm" c="dimmed">
        It is encrypted at once and cannot be read back, by you or anybody else.
      </Text>
    </Stack>
  );
}

const pathOf = (field: string): string => `/fields/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;

/** The places that the form itself says an error of. */
export const secretPaths = (fields: readonly string[]): string[] => [...fields.map(pathOf), '/expires_at'];

/** What was typed. */
export function readSecret(
  form: HTMLFormElement,
  fields: readonly string[],
): { fields: Record<string, string>; expires_at?: string } {
  const data = new FormData(form);
  const text = (name: string): string => {
    const value = data.get(name);
    return typeof value === 'string' ? value : '';
  };
  const expires = text('expires');
  return {
    fields: Object.fromEntries(fields.map((field) => [field, text(`field ${field}`)])),
    ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
  };
}
