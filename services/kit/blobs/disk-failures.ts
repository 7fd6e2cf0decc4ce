/** Maps disk errors to what the caller needs to know when it stores a file. */
import { FilemillError } from "#contract/errors.ts";

/** A full disk becomes UNAVAILABLE. Any other error stays as it is. */
export function failureOf(error: unknown): unknown {
  const code = codeOf(error);
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new FilemillError("UNAVAILABLE", "There is no room for more files right now.", { retryAfterMs: 10_000, cause: error });
}

/** The folder is missing or not writable: a disk that is not mounted, or broken. */
export function awayOf(error: unknown): FilemillError | undefined {
  const code = codeOf(error);
  if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EROFS" && code !== "EACCES" && code !== "EIO") return undefined;
  return new FilemillError("UNAVAILABLE", "Files cannot be stored right now.", { retryAfterMs: 10_000, cause: error });
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
