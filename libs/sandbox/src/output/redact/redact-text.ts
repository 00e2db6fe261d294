import { Redactor, Secrets } from './redactor.js';

/** Hides secrets in a text that is there as a whole (SPEC B4), by the rules of a command's output. */
export function redactText(text: string, secrets: readonly string[]): string {
  const redactor = new Redactor(new Secrets(secrets));
  return redactor.write(text) + redactor.end();
}
