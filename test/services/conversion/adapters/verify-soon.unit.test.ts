import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { openLog } from "#kit/log.ts";
import { verifySoon } from "#services/conversion/adapters/verify-soon.ts";
import { DoesNotHold } from "#services/conversion/domain/failure.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The actions within ten seconds of the start, or another time, in order. */
async function doneAfter(
  attackIfOwed: () => Promise<void>,
  { isSame = true, heldLately = false, ms = 10_000 } = {},
): Promise<readonly string[]> {
  const done: string[] = [];
  const verify = async () => done.push("verify") > 0 && isSame;
  const renew = async () => void done.push("renew");
  const giveUp = async () => void done.push("give up");
  using _verifying = verifySoon({
    converter: { attackIfOwed, verify, heldLately },
    announcement: { renew },
    log: openLog("silent"),
    giveUp,
  });
  await vi.advanceTimersByTimeAsync(ms);
  return done;
}

it("renews the announcement if the engines have changed", async () => {
  expect(await doneAfter(async () => undefined)).toEqual(["verify"]);
  expect(await doneAfter(async () => undefined, { isSame: false })).toEqual(["verify", "renew"]);
});

it("waits ten minutes if the sandbox held shortly before the start", async () => {
  expect(await doneAfter(async () => undefined, { heldLately: true, ms: 9 * 60_000 })).toEqual([]);
  expect(await doneAfter(async () => undefined, { heldLately: true, ms: 10 * 60_000 })).toEqual(["verify"]);
});

it("gives up if an attack on the sandbox succeeds, but not if it could not be made", async () => {
  expect(await doneAfter(() => Promise.reject(new DoesNotHold(["a file outside was read"])))).toEqual(["give up"]);
  expect(await doneAfter(() => Promise.reject(new FilemillError("UNAVAILABLE", "The disk is full.")))).toEqual(["verify"]);
});

it("does nothing if the service stops first", async () => {
  const attackIfOwed = vi.fn(async () => undefined);
  const unused = async () => undefined;
  verifySoon({
    converter: { attackIfOwed, verify: async () => true, heldLately: false },
    announcement: { renew: unused },
    log: openLog("silent"),
    giveUp: unused,
  })[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(attackIfOwed).not.toHaveBeenCalled();
});
