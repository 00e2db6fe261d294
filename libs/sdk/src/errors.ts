import type { Problem, ProblemCode } from '@hcp/contracts';

/** `network`: no answer; `invalid_response`: an answer that is not of the contract. */
export type HcpErrorCode = ProblemCode | 'network' | 'invalid_response';

/** What every method but `exec` throws when the API refuses or cannot be reached. */
export class HcpError extends Error {
  override readonly name = 'HcpError';
  readonly code: HcpErrorCode;
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** The API's own problem details, where it sent any. */
  readonly problem: Problem | null;

  constructor(input: { code: HcpErrorCode; status: number; message: string; problem?: Problem; cause?: unknown }) {
    super(input.message, { cause: input.cause });
    this.code = input.code;
    this.status = input.status;
    this.problem = input.problem ?? null;
  }
}
