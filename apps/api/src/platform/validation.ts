import { StandardSchemaValidationPipe } from '@nestjs/common';
import { jsonPointer } from './json-pointer.js';
import { ProblemError } from './problem.js';

/** Checks parameters, query and body against the zod schema that the handler's decorator names. */
export function validationPipe(): StandardSchemaValidationPipe {
  return new StandardSchemaValidationPipe({
    exceptionFactory: (issues) => {
      const errors = issues
        .slice(0, 50)
        .map((issue) => ({ path: jsonPointer(issue.path ?? []), message: issue.message }));
      return new ProblemError(400, 'invalid_request', 'the request is not valid', errors);
    },
  });
}
