import type { RJSFSchema, ValidatorType } from '@rjsf/utils';
import { isControlWord } from '@hcp/core';

/** The schema of a form: without control words, which say how a call runs and are never filled in beforehand. */
export function formSchema(args: Record<string, unknown> | undefined): RJSFSchema {
  const schema = (args ?? { type: 'object', properties: {} }) as RJSFSchema;
  const properties = Object.entries(schema.properties ?? {}).filter(([name]) => !isControlWord(name));
  const { required, ...rest } = schema;
  return {
    ...rest,
    properties: Object.fromEntries(properties),
    ...(required && { required: required.filter((name) => !isControlWord(name)) }),
  };
}

/**
 * Judges nothing: whether arguments are valid is said by the API, by its preview and by the call itself, with one validator
 * for everyone. One in the page would also need code made from text, which the content security policy refuses.
 */
export const askTheApi: ValidatorType<Record<string, unknown>> = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  isValid: () => true,
  rawValidation: () => ({}),
};
