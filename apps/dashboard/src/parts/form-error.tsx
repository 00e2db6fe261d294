import { allAtFields } from '../app/field-errors.js';
import { ErrorBox } from './error-box.js';

/** What went wrong with a form, unless all of it is said at its fields. */
export function FormError({ error, fields, title }: { error: unknown; fields: readonly string[]; title?: string }) {
  if (error === null || error === undefined || allAtFields(error, fields)) return null;
  return <ErrorBox error={error} {...(title !== undefined && { title })} />;
}
