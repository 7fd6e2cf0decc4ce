/** What an attempt's failure means for the job: whose fault it is, and whether a retry can help. */
import { type ErrorCode, FilemillError } from "#contract/errors.ts";

/** CONVERSION_FAILED for an intact file without anything that the target could hold. No other engine would do better. */
export class LacksContent extends FilemillError {
  constructor(message: string) {
    super("CONVERSION_FAILED", message);
  }
}

/** INPUT_TOO_COMPLEX for an engine that was killed because of the size of its output. */
export class OutputTooLarge extends FilemillError {
  /** The limit that it reached. */
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super("INPUT_TOO_COMPLEX", "The result exceeds the size limit of a conversion.");
    this.limitBytes = limitBytes;
  }
}

export type FaultKind =
  /** It exited with a code and words that are not on its list of bad input. */
  | "unexplained"
  /** It ended with its own signal, such as SIGSEGV. */
  | "crashed"
  /** Something else killed it, for example the kernel when memory was short, or it was a warm process that had served others before. */
  | "lost";

const faultMessages: Readonly<Record<FaultKind, string>> = {
  unexplained: "The conversion failed for an unknown reason; try another target format.",
  crashed: "The converter crashed on this file, which is our fault; try another target format.",
  lost: "The converter was killed during the conversion, which is our fault; try again later.",
};

/** CONVERSION_FAILED by an engine when nothing shows that the file is to blame (decision 39). */
export class EngineFault extends FilemillError {
  readonly kind: FaultKind;

  /** @param ended - How it ended, for the log: a signal or an exit code, never the engine's output, which quotes the file. */
  constructor(kind: FaultKind, ended: string) {
    super("CONVERSION_FAILED", faultMessages[kind], { cause: new Error(ended) });
    this.kind = kind;
  }
}

/** The failure of one of several files. The owner learns which one; the name must not be logged. */
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
  /** What the job's owner sees. */
  readonly error: FilemillError;
  readonly retryable: boolean;
  /** A defect of Filemill, to be logged with its stack. */
  readonly unexpected: boolean;
};

/** Codes after which another attempt may end differently. Every other code is about the file or the request. */
const transientCodes: ReadonlySet<ErrorCode> = new Set(["UNAVAILABLE", "OVERLOADED", "INTERNAL"]);

/** System errors of a host that lacks resources, not of a bad file. */
const shortageCodes: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "ENOMEM", "EAGAIN", "EIO", "EROFS"]);

export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof FilemillError) {
    const unexpected = thrown.code === "INTERNAL";
    const own = nameless(thrown);
    // An engine repeats its own failures. A crash may not repeat, and an engine killed from outside had no chance.
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

/** An attack on the sandbox succeeded, so nothing may run in it. */
export class DoesNotHold extends FilemillError {
  constructor(through: readonly string[]) {
    super("UNAVAILABLE", `The sandbox does not hold on this host: ${through.join("; ")}.`);
  }
}
