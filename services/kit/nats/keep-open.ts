import { setTimeout as sleep } from "node:timers/promises";
import type { Link } from "./link.ts";

const pauseMs = 100;

/**
 * Opens at once, and anew after each reconnect and each call of `reopen`: one at a time, again until it succeeds. Asked for while
 * it is being opened, it is opened once more afterwards.
 *
 * @param open - Lets go of what it opened before.
 * @param onFailure - Hears of each try that failed but of the first opening, whose failure rejects.
 */
export async function keepOpen(
  link: Pick<Link, "retry" | "onReconnect">,
  open: (reopen: () => void) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<{ /** No further opening; resolves when the present one is over. */ stop(): Promise<void> }> {
  let stopped = false;
  let again = false;
  let opening: Promise<void> | undefined;

  const openAsAsked = async (): Promise<void> => {
    while (again && !stopped) {
      again = false;
      await open(reopen).catch((error: unknown) => {
        again = true;
        onFailure(error);
        return sleep(pauseMs);
      });
    }
  };
  function reopen(): void {
    again = true;
    opening ??= openAsAsked().finally(() => {
      opening = undefined;
    });
  }

  await link.retry(() => open(reopen));
  const stopListening = link.onReconnect(reopen);
  return {
    async stop() {
      stopped = true;
      stopListening();
      await opening;
    },
  };
}
