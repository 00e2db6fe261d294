import { StandardSchemaValidationPipe } from '@nestjs/common';
import { fieldErrors, sentence } from './field-words.js';
import { ProblemError } from './problem.js';

/** Checks parameters, query and body against the zod schema that the handler's decorator names. */
export function validationPipe(): StandardSchemaValidationPipe {
  return new StandardSchemaValidationPipe({
    exceptionFactory: (issues) => {
      const errors = fieldErrors(issues);
      const detail = errors[0] ? sentence(errors[0]) : 'the request is not valid';
      return new ProblemError(400, 'invalid_request', detail, errors);
    },
  });
}
