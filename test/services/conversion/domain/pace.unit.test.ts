import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Pace, paced } from "#services/conversion/domain/pace.ts";

const pace: Pace = { windowMs: 100, bytesPerWindow: 100, wholeMs: 60_000 };
const sizes = (items: AsyncIterable<number>, bounds = pace): Promise<number[]> => Array.fromAsync(paced(items, (size) => size, bounds));
const tooSlow = expect.objectContaining({ code: "REQUEST_TIMEOUT" });

async function* every(pauseMs: number, ...all: readonly number[]): AsyncGenerator<number> {
  for (const size of all) {
    await sleep(pauseMs);
    yield size;
  }
}

it("passes on what comes fast enough, and what comes at once", async () => {
  expect(await sizes(every(60, ...Array<number>(12).fill(100)), { ...pace, windowMs: 500 })).toHaveLength(12);
  expect(await sizes(every(0))).toEqual([]);
});

it("waits longer for who has sent a lot", async () => {
  expect(await sizes(every(700, 1000, 0), { ...pace, windowMs: 1000 })).toEqual([1000, 0]);
});

it("gives up on silence, on drops, and on what never ends", async () => {
  await expect(sizes(every(10_000, 1))).rejects.toEqual(tooSlow);
  await expect(sizes(every(15, ...Array<number>(50).fill(1)))).rejects.toEqual(tooSlow);
  await expect(sizes(every(5, ...Array<number>(100).fill(1000)), { ...pace, wholeMs: 100 })).rejects.toEqual(tooSlow);
});

it("does not count the time in which nobody asks", async () => {
  const seen: number[] = [];
  for await (const size of paced(every(0, 1, 2, 3), (value) => value, { ...pace, windowMs: 500 })) {
    await sleep(300);
    seen.push(size);
  }
  expect(seen).toEqual([1, 2, 3]);
});
