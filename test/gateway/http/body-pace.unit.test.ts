import type { IncomingMessage } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchBodyPace } from "#gateway/http/body-pace.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function isTooSlow(state: { readonly complete?: boolean; readonly paused?: boolean }): boolean {
  const body = { complete: state.complete === true, isPaused: () => state.paused === true, readableLength: 0, socket: { bytesRead: 1 } };
  const tooSlow = vi.fn();
  using _pace = watchBodyPace(body as unknown as IncomingMessage, tooSlow);
  vi.advanceTimersByTime(60_000);
  return tooSlow.mock.calls.length > 0;
}

test("only an incomplete body that is being read counts as too slow", () => {
  expect(isTooSlow({})).toBe(true);
  expect(isTooSlow({ paused: true })).toBe(false);
  // A slow disk may still be writing the file.
  expect(isTooSlow({ complete: true })).toBe(false);
});
