/** A failure with a code from Filemill's table. The host's kit is not visible inside the sandbox. */
export class Failure extends Error {
  readonly code: string;
  /** The cause is unknown: the process ends after it. */
  readonly odd: boolean;

  constructor(code: string, message: string, odd = false) {
    super(message);
    this.code = code;
    this.odd = odd;
  }
}

export function invalid(message: string): Failure {
  return new Failure("INVALID_INPUT", message);
}

export function tooComplex(message: string): Failure {
  return new Failure("INPUT_TOO_COMPLEX", message);
}

/** The data is sound, but the target cannot express it. */
export function inexpressible(message: string): Failure {
  return new Failure("CONVERSION_FAILED", message);
}
