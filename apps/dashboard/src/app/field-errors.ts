import { HcpError } from '@hcp/sdk';
import { sentence } from './errors.js';

/** `''` is the whole of what was sent, and nothing in it. */
const under = (path: string, field: string): boolean =>
  path === field || (field !== '' && path.startsWith(`${field}/`));

const errorsOf = (error: unknown): readonly { path: string; message: string }[] =>
  error instanceof HcpError ? (error.problem?.errors ?? []) : [];

/** What the API says of a field, by its JSON pointer, in a sentence to show at it. */
export function atField(error: unknown, ...fields: readonly string[]): string | undefined {
  const found = errorsOf(error).filter(({ path }) => fields.some((field) => under(path, field)));
  return found.length === 0 ? undefined : found.map(({ message }) => sentence(message)).join(' ');
}

/** Whether everything that the API says is at these fields. */
export const allAtFields = (error: unknown, fields: readonly string[]): boolean => {
  const errors = errorsOf(error);
  return errors.length > 0 && errors.every(({ path }) => fields.some((field) => under(path, field)));
};
