/** An expected refusal; `code` is for programs. */
export class Failure extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}
