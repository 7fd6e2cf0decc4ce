import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Pace, paced } from "#services/conversion/domain/pace.ts";

const pace: Pace = { windowMs: 100, bytesPerWindow: 100, wholeMs: 60_000 };
const tooSlow = expect.objectContaining({ code: "REQUEST_TIMEOUT" });

// A clock that only advances on request: the test decides what takes long.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function* every(pauseMs: number, ...all: readonly number[]): AsyncGenerator<number> {
  for (const size of all) {
    await sleep(pauseMs);
    yield size;
  }
}

/** The sizes that came through or the error, once all of it is over. */
async function sizes(items: AsyncIterable<number>, bounds = pace, work = async () => undefined): Promise<unknown> {
  const seen: number[] = [];
  const ended = (async () => {
    for await (const size of paced(items, (each) => each, bounds)) {
      await work();
      seen.push(size);
    }
    return seen;
  })().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(100_000);
  return await ended;
}

it("passes on data that arrives fast enough or at once", async () => {
  expect(await sizes(every(60, ...Array<number>(12).fill(100)))).toHaveLength(12);
  expect(await sizes(every(0))).toEqual([]);
});

it("waits longer for a sender that has sent a lot", async () => {
  expect(await sizes(every(70, 1000, 0))).toEqual([1000, 0]);
  expect(await sizes(every(70, 99, 0))).toEqual(tooSlow);
});

it("gives up on silence, a trickle and an endless stream", async () => {
  expect(await sizes(every(10_000, 1))).toEqual(tooSlow);
  expect(await sizes(every(15, ...Array<number>(50).fill(1)))).toEqual(tooSlow);
  expect(await sizes(every(5, ...Array<number>(100).fill(1000)), { ...pace, wholeMs: 100 })).toEqual(tooSlow);
});

it("does not count the time while the consumer is busy", async () => {
  const work = async (): Promise<undefined> => void (await sleep(300));
  expect(await sizes(every(10, 1, 2, 3), pace, work)).toEqual([1, 2, 3]);
});
