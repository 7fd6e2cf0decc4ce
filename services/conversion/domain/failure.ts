/** What an attempt's failure means for the job: whose fault it is, and whether trying again can help. */
import { type ErrorCode, FilemillError } from "#contract/errors.ts";

/** CONVERSION_FAILED of a file that is well but holds nothing that the target could hold: no other engine would do better. */
export class LacksContent extends FilemillError {
  constructor(message: string) {
    super("CONVERSION_FAILED", message);
  }
}

/** INPUT_TOO_COMPLEX of an engine that was ended for what it wrote. */
export class OutputTooLarge extends FilemillError {
  /** The bound that it met. */
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super("INPUT_TOO_COMPLEX", "The result exceeds the size limit of a conversion.");
    this.limitBytes = limitBytes;
  }
}

export type FaultKind =
  /** It ended with a code and words that are not on its list of bad input. */
  | "unexplained"
  /** It ended itself by a signal, such as SIGSEGV. */
  | "crashed"
  /** Somebody else ended it, such as the kernel when memory is short, or it was a warm process that had worked for others before. */
  | "lost";

const faultMessages: Readonly<Record<FaultKind, string>> = {
  unexplained: "The conversion failed for an unknown reason; try another target format.",
  crashed: "The converter crashed on this file, which is our fault; try another target format.",
  lost: "The converter was killed during the conversion, which is our fault; try again later.",
};

/** CONVERSION_FAILED by an engine of which nothing says that the file is to blame (decision 39). */
export class EngineFault extends FilemillError {
  readonly kind: FaultKind;

  /** @param ended - How, for the log: a signal or an exit code, never what the engine said, which quotes the file. */
  constructor(kind: FaultKind, ended: string) {
    super("CONVERSION_FAILED", faultMessages[kind], { cause: new Error(ended) });
    this.kind = kind;
  }
}

/** The failure of one file of several. Its owner is told which; the name is nothing for a log. */
export class EntryFailed extends FilemillError {
  readonly failure: FilemillError;

  constructor(name: string, failure: FilemillError) {
    super(failure.code, `${name}: ${failure.message}`, failure.details === undefined ? {} : { details: failure.details });
    this.failure = failure;
  }
}

/** The failure as it may be logged: without the name of an entry. */
export function nameless(thrown: unknown): unknown {
  return thrown instanceof EntryFailed ? thrown.failure : thrown;
}

export type Failure = {
  /** What the job's owner is told. */
  readonly error: FilemillError;
  readonly retryable: boolean;
  /** A defect of ours: to be logged with its stack. */
  readonly unexpected: boolean;
};

/** Codes after which another attempt may end differently; every other code is about the file or the request. */
const transientCodes: ReadonlySet<ErrorCode> = new Set(["UNAVAILABLE", "OVERLOADED", "INTERNAL"]);

/** System errors of a host that is short of something, not of a bad file. */
const shortageCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EIO", "EROFS"]);

export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof FilemillError) {
    const unexpected = thrown.code === "INTERNAL";
    const own = nameless(thrown);
    // What an engine does of itself it does again; what crashed may not, and what was ended from outside had no chance.
    const isCrash = own instanceof EngineFault && own.kind !== "unexplained";
    return { error: thrown, retryable: isCrash || transientCodes.has(thrown.code), unexpected };
  }
  const shortage = systemCodeOf(thrown);
  if (shortage !== undefined && shortageCodes.has(shortage)) {
    const error = new FilemillError("UNAVAILABLE", "The converter ran out of a resource; try again later.", { cause: thrown });
    return { error, retryable: true, unexpected: true };
  }
  return {
    error: new FilemillError("INTERNAL", "Something went wrong on our side.", { cause: thrown }),
    retryable: true,
    unexpected: true,
  };
}

function systemCodeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== "object" || thrown === null || !("code" in thrown)) return undefined;
  return typeof thrown.code === "string" ? thrown.code : undefined;
}

/** An attack on the sandbox got through: nothing may run in it. */
export class DoesNotHold extends FilemillError {
  constructor(through: readonly string[]) {
    super("UNAVAILABLE", `The sandbox does not hold on this host: ${through.join("; ")}.`);
  }
}
