import { setTimeout as sleep } from "node:timers/promises";
import type { Link } from "./link.ts";

const pauseMs = 100;

/**
 * Opens at once, and again after each reconnect and each call of `reopen`. Only one opening runs at a time, and it is repeated until it
 * succeeds. A request during an opening causes another opening afterwards.
 *
 * @param open - Must release what it opened before.
 * @param onFailure - Called for each failed attempt except the first opening, whose failure rejects.
 */
export async function keepOpen(
  link: Pick<Link, "retry" | "onReconnect">,
  open: (reopen: () => void) => Promise<void>,
  onFailure: (error: unknown) => void,
): Promise<{ /** Prevents further openings. Resolves when the current one is over. */ stop(): Promise<void> }> {
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
