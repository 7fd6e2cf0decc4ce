/** Verifies what a quick start took on trust, once the start is over (decisions 32 and 88). */
import type { Log } from "#kit/log.ts";
import type { Converter } from "../domain/converter.ts";
import { DoesNotHold } from "../domain/failure.ts";
import type { Announcement } from "./announcer.ts";

/** Leaves the CPU to the first requests after a start; after one that follows another shortly, to all that a service that keeps restarting does. */
const verifyAfterMs = { usually: 5000, ifHeldLately: 10 * 60_000 };

type Verified = {
  readonly converter: Pick<Converter, "attackIfOwed" | "verify" | "heldLately">;
  readonly announcement: Pick<Announcement, "renew">;
  readonly log: Log;
  /** The sandbox does not hold. */
  giveUp(): Promise<void>;
};

/** Verifies what was known from the last start: attacks the sandbox, and tells the catalogue about engines that have changed. */
export function verifySoon({ converter, announcement, log, giveUp }: Verified): Disposable {
  const ending = new AbortController();
  const verify = async (): Promise<void> => {
    try {
      await converter.attackIfOwed();
    } catch (error) {
      if (ending.signal.aborted) return;
      log.error("sandbox.attack_failed", { err: error });
      if (error instanceof DoesNotHold) return await giveUp();
    }
    if (!(await converter.verify(ending.signal))) await announcement.renew();
  };
  const afterMs = converter.heldLately ? verifyAfterMs.ifHeldLately : verifyAfterMs.usually;
  const timer = setTimeout(() => verify().catch((err: unknown) => log.warn("engines.verify_failed", { err })), afterMs).unref();
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      ending.abort();
    },
  };
}
