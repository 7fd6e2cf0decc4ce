import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHistory, type History, type Run } from "#services/job/domain/history.ts";

const small: Run = { from: "png", to: "webp", lane: "image", sizeBytes: 10_000, pixels: 0, lastsMs: 0, variant: 1, provenMs: 0 };

/** Deterministic pseudo-random numbers. */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** A route with the cost structure of engines: a fixed cost per file, a cost by content, and noise from a busy machine. */
type Route = {
  readonly to: string;
  readonly fixedMs: number;
  readonly msPerUnit: number;
  readonly amountOf: (spread: number) => Partial<Run>;
};

const routes: readonly Route[] = [
  { to: "webp", fixedMs: 4, msPerUnit: 0.0002, amountOf: (spread) => ({ from: "png", pixels: 16_000 * 1000 ** spread }) },
  { to: "jpg", fixedMs: 90, msPerUnit: 0, amountOf: (spread) => ({ from: "pdf", lane: "document", sizeBytes: 20_000 * 500 ** spread }) },
  {
    to: "pdf",
    fixedMs: 200,
    msPerUnit: 0.002,
    amountOf: (spread) => ({ from: "docx", lane: "office", sizeBytes: 10_000 * 300 ** spread }),
  },
  { to: "mp3", fixedMs: 60, msPerUnit: 0.01, amountOf: (spread) => ({ from: "wav", lane: "media", lastsMs: 2000 * 300 ** spread }) },
  {
    to: "webm",
    fixedMs: 300,
    msPerUnit: 0.000_004,
    amountOf: (spread) => ({ from: "mp4", lane: "media", lastsMs: 2000 * 30 ** spread, pixels: 1_000_000 }),
  },
];

/** Converts in a realistic mix, and returns the share of prior estimates that were right within a factor of two. */
function shareOfGoodGuesses(history: History, jobs: number, dice: () => number): number {
  let good = 0;
  for (let job = 0; job < jobs; job += 1) {
    const route = routes[Math.floor(dice() * routes.length)] ?? routes[0];
    if (route === undefined) throw new Error("no route");
    // Half of all files are small.
    const run: Run = { ...small, to: route.to, ...route.amountOf(dice() ** 2) };
    const amount = run.lastsMs > 0 && run.pixels > 0 ? run.lastsMs * run.pixels : run.lastsMs || run.pixels || run.sizeBytes;
    const tookMs = (route.fixedMs + route.msPerUnit * amount) * (0.8 + dice() * 0.6) * (dice() < 0.05 ? 3 : 1);
    const factor = history.expectMs(run) / tookMs;
    if (factor >= 0.5 && factor <= 2) good += 1;
    history.record(run, tookMs);
  }
  return good / jobs;
}

describe("the estimated conversion time", () => {
  it("is within a factor of two for 9 of 10 jobs once a route has run a few times", () => {
    const dice = createDice(16);
    const history = createHistory();
    shareOfGoodGuesses(history, 60, dice);
    expect(shareOfGoodGuesses(history, 1000, dice)).toBeGreaterThan(0.9);
  });

  it("is as good after a restart with restored history", () => {
    const dice = createDice(17);
    const before = createHistory();
    shareOfGoodGuesses(before, 300, dice);
    const after = createHistory();
    for (const remembered of before.changes()) after.recall(remembered);
    expect(before.changes()).toEqual([]);
    expect(shareOfGoodGuesses(after, 200, dice)).toBeGreaterThan(0.88);
    expect(after.expectRouteMs("png", "webp")).toBeGreaterThan(0);
  });

  it("starts from the proof run or the lane's default, and is longer for larger files", () => {
    const history = createHistory();
    expect(history.expectMs({ ...small, sizeBytes: 100_000 })).toBeCloseTo(300);
    expect(history.expectMs({ ...small, sizeBytes: 100_000, provenMs: 40 })).toBeCloseTo(40);
    expect(history.expectMs({ ...small, sizeBytes: 300_000, provenMs: 40 })).toBeCloseTo(80);
    expect(history.expectMs({ ...small, sizeBytes: 1e9, provenMs: 40 })).toBeLessThan(1000);
    expect(history.expectRouteMs("png", "webp")).toBeUndefined();
  });

  it("learns the speed of this machine from other routes of the lane, across restarts too", () => {
    const history = createHistory();
    const asProven = { ...small, sizeBytes: 100_000, provenMs: 1000 };
    for (const to of ["jpg", "avif", "gif"]) for (let run = 0; run < 3; run += 1) history.record({ ...asProven, to }, 250);
    expect(history.expectMs(asProven)).toBeCloseTo(250);
    expect(history.expectMs({ ...asProven, lane: "media" })).toBeCloseTo(1000);
    const after = createHistory();
    for (const remembered of history.changes()) after.recall(remembered);
    expect(after.expectMs(asProven)).toBeCloseTo(250);
  });

  it("drops a slow first run that started the engine once the next run is faster", () => {
    const history = createHistory();
    const run = { ...small, sizeBytes: 100_000, provenMs: 100 };
    history.record(run, 5000);
    expect(history.expectMs(run)).toBeGreaterThan(2500);
    history.record(run, 100);
    expect(history.expectMs(run)).toBeCloseTo(100);
  });

  it("distinguishes runs with different options", () => {
    const history = createHistory();
    for (let run = 0; run < 5; run += 1) {
      history.record({ ...small, variant: 1 }, 100);
      history.record({ ...small, variant: 2 }, 5000);
    }
    expect(history.expectMs({ ...small, variant: 1 }) / 100).toBeLessThan(2);
    expect(history.expectMs({ ...small, variant: 2 }) / 5000).toBeGreaterThan(0.5);
  });

  it("adapts when an engine becomes slower", () => {
    const history = createHistory();
    for (let run = 0; run < 30; run += 1) history.record(small, 100);
    for (let run = 0; run < 30; run += 1) history.record(small, 1000);
    expect(history.expectMs(small)).toBeGreaterThan(500);
  });

  it("is positive and finite whatever was recorded", () => {
    const run = fc.record({ sizeBytes: fc.nat(), pixels: fc.nat(), lastsMs: fc.nat(), tookMs: fc.nat() });
    fc.assert(
      fc.property(fc.array(run), run, (runs, next) => {
        const history = createHistory();
        for (const { tookMs, ...each } of runs) history.record({ ...small, ...each }, tookMs);
        const expected = history.expectMs({ ...small, ...next });
        expect(expected).toBeGreaterThan(0);
        expect(Number.isFinite(expected)).toBe(true);
      }),
    );
  });
});
