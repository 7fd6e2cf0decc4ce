import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openLog } from "#kit/log.ts";
import { openAgenda } from "#services/webhook/domain/agenda.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const log = openLog("silent");

test("retries an attempt that changes nothing after a delay, not in a loop", async () => {
  await using agenda = openAgenda({ log, now: Date.now });
  let runs = 0;
  agenda.put("a", { atMs: 0, host: () => "h", run: async () => void runs++ });
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs).toBe(1);
  await vi.advanceTimersByTimeAsync(4500);
  expect(runs).toBe(3);
});

test("delays what is due later, skips what was removed, and runs at most four tasks per host", async () => {
  await using agenda = openAgenda({ log, now: Date.now });
  const begun: string[] = [];
  const task = (name: string, host: string, atMs = 0) => ({
    atMs,
    host: () => host,
    run: (signal: AbortSignal) => {
      begun.push(name);
      return new Promise<void>((end) => signal.addEventListener("abort", () => end()));
    },
  });
  for (let count = 1; count <= 6; count++) agenda.put(`slow ${count}`, task(`slow ${count}`, "slow"));
  agenda.put("quick", task("quick", "quick"));
  agenda.put("later", task("later", "other", Date.now() + 10_000));
  agenda.put("gone", task("gone", "third", Date.now() + 10_000));
  agenda.put("gone", undefined);
  await vi.advanceTimersByTimeAsync(9000);
  expect(begun).toEqual(["slow 1", "slow 2", "slow 3", "slow 4", "quick"]);
  await vi.advanceTimersByTimeAsync(2000);
  expect(begun.slice(5)).toEqual(["later"]);
});
