import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openLog } from "#kit/log.ts";
import { remindOfDegradation } from "#services/conversion/adapters/degradation.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("warns about a degraded sandbox once a minute until disposal", () => {
  const lines: string[] = [];
  const log = openLog("warn", { write: (line: string) => void lines.push(line) });
  const reminder = remindOfDegradation(log);
  vi.advanceTimersByTime(59_999);
  expect(lines).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "warn", msg: "sandbox.degraded" });
  vi.advanceTimersByTime(5 * 60_000);
  expect(lines).toHaveLength(6);
  reminder[Symbol.dispose]();
  vi.advanceTimersByTime(5 * 60_000);
  expect(lines).toHaveLength(6);
});
