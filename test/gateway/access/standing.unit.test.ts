import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import type { Caller } from "#gateway/access/authenticate.ts";
import { watchStanding } from "#gateway/access/standing.ts";
import { openLog } from "#kit/log.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const callerOf = (confirm: Caller["confirm"]) => ({ confirm }) as Caller;
const log = openLog("silent");

test("only one check is in flight at a time, and each one has a timeout", async () => {
  const bounds: (number | undefined)[] = [];
  const confirm: Caller["confirm"] = ({ timeoutMs }) => {
    bounds.push(timeoutMs);
    return new Promise((_, reject) => setTimeout(() => reject(new FilemillError("UNAVAILABLE", "Late.")), timeoutMs));
  };
  using standing = watchStanding(callerOf(confirm), log);
  await vi.advanceTimersByTimeAsync(4900);
  expect(bounds).toEqual([5000]);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(bounds).toHaveLength(4);
  expect(standing.lost.aborted).toBe(false);
});

test("a late refusal still revokes access", async () => {
  const refusal = new FilemillError("API_KEY_REVOKED", "This key was revoked.");
  const confirm = () => new Promise((_, reject) => setTimeout(() => reject(refusal), 2000));
  using standing = watchStanding(callerOf(confirm), log);
  await vi.advanceTimersByTimeAsync(2600);
  expect(standing.lost.reason).toBe(refusal);
});

test("a caller who leaves within half a second is never checked", async () => {
  const confirm = vi.fn(async () => undefined);
  watchStanding(callerOf(confirm), log)[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(confirm).not.toHaveBeenCalled();
});
