import { FilemillError } from "#kit/errors.ts";
import { RevisionConflict } from "#kit/nats/ports.ts";

/** Lets conflicts and errors with a code through; everything else that goes wrong with the broker is UNAVAILABLE. */
export async function brokerCall<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof RevisionConflict || error instanceof FilemillError) throw error;
    throw new FilemillError("UNAVAILABLE", "The broker cannot be reached right now; try again.", { retryAfterMs: 2000, cause: error });
  }
}
