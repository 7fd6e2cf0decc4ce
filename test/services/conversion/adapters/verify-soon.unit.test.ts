import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { openLog } from "#kit/log.ts";
import { verifySoon } from "#services/conversion/adapters/verify-soon.ts";
import { DoesNotHold } from "#services/conversion/domain/failure.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The actions, in order, until ten seconds after the start. */
async function doneAfter(attackIfOwed: () => Promise<void>, isSame = true): Promise<readonly string[]> {
  const done: string[] = [];
  const verify = async () => done.push("verify") > 0 && isSame;
  const renew = async () => void done.push("renew");
  const giveUp = async () => void done.push("give up");
  using _verifying = verifySoon({ converter: { attackIfOwed, verify }, announcement: { renew }, log: openLog("silent"), giveUp });
  await vi.advanceTimersByTimeAsync(10_000);
  return done;
}

it("announces engines anew that are not what they were", async () => {
  expect(await doneAfter(async () => undefined)).toEqual(["verify"]);
  expect(await doneAfter(async () => undefined, false)).toEqual(["verify", "renew"]);
});

it("gives up where an attack on the sandbox gets through, and not where none could be made", async () => {
  expect(await doneAfter(() => Promise.reject(new DoesNotHold(["a file outside was read"])))).toEqual(["give up"]);
  expect(await doneAfter(() => Promise.reject(new FilemillError("UNAVAILABLE", "The disk is full.")))).toEqual(["verify"]);
});

it("does nothing any more when the service ends before", async () => {
  const attackIfOwed = vi.fn(async () => undefined);
  const unused = async () => undefined;
  verifySoon({
    converter: { attackIfOwed, verify: async () => true },
    announcement: { renew: unused },
    log: openLog("silent"),
    giveUp: unused,
  })[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(attackIfOwed).not.toHaveBeenCalled();
});
