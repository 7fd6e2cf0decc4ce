import { FilemillError } from "#contract/errors.ts";

/** For `catch`: throws an error that says why a file or folder of the user cannot be read. `what` begins the message. */
export function unreadable(what: string, code: "BAD_REQUEST" | "INVALID_INPUT"): (cause: NodeJS.ErrnoException) => never {
  return (cause) => {
    if (cause instanceof FilemillError) throw cause;
    throw new FilemillError(code, `${what} ${reasons[cause.code ?? ""] ?? `cannot be read (${cause.code ?? "unknown"}).`}`, { cause });
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "does not exist; check the path.",
  EACCES: "cannot be read; check its permissions.",
};
