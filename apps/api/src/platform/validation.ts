import { StandardSchemaValidationPipe } from '@nestjs/common';
import { jsonPointer } from './json-pointer.js';
import { ProblemError } from './problem.js';

/** A message may name keys that were sent, as many and as long as the body allows. */
const MAX_MESSAGE = 300;
const short = (message: string): string =>
  message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;

/** Checks parameters, query and body against the zod schema that the handler's decorator names. */
export function validationPipe(): StandardSchemaValidationPipe {
  return new StandardSchemaValidationPipe({
    exceptionFactory: (issues) => {
      const errors = issues
        .slice(0, 50)
        .map((issue) => ({ path: jsonPointer(issue.path ?? []), message: short(issue.message) }));
      return new ProblemError(400, 'invalid_request', 'the request is not valid', errors);
    },
  });
}
