import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Delivery, WorkQueue } from "#kit/nats/ports.ts";
import { openTestBroker, type TestBroker } from "#test/harness/broker.ts";
import { killServer } from "./text-codec.ts";

let shared: TestBroker;
let queue: WorkQueue;

beforeAll(async () => {
  shared = await openTestBroker();
  queue = await shared.broker.workQueue("JOBS", ["image", "office"], { ackWaitMs: 1000 });
});
afterAll(() => shared[Symbol.asyncDispose]());

let jobs = 0;
const newJob = (): string => {
  jobs += 1;
  return `job-${jobs}`;
};

describe("a message", () => {
  test("is there until it is acknowledged, on its lane only", async () => {
    const job = newJob();
    await queue.publish("image", job);
    expect([await queue.has("image", job), await queue.has("office", job)]).toEqual([true, false]);
    const deliveries: Delivery[] = [];
    await using _consumer = await queue.consume("image", 1, async (delivery) => {
      deliveries.push(delivery);
      delivery.ack();
    });
    await vi.waitFor(() => expect(deliveries).toMatchObject([{ jobId: job, deliveries: 1 }]));
    await vi.waitFor(async () => expect(await queue.has("image", job)).toBe(false));
  });

  test("is queued once for one id, twice when asked again", async () => {
    const job = newJob();
    await queue.publish("office", job);
    await queue.publish("office", job);
    await queue.publish("office", job, { again: true });
    const seen: string[] = [];
    await using _consumer = await queue.consume("office", 1, async (delivery) => {
      seen.push(delivery.jobId);
      delivery.ack();
    });
    await vi.waitFor(() => expect(seen).toEqual([job, job]));
    const last = newJob();
    await queue.publish("office", last);
    await vi.waitFor(() => expect(seen).toEqual([job, job, last]));
  });

  test("that was withdrawn is not delivered", async () => {
    const [withdrawn, kept] = [newJob(), newJob()];
    await queue.publish("office", withdrawn);
    await queue.publish("office", withdrawn, { again: true });
    await queue.publish("office", kept);
    await queue.withdraw("office", withdrawn);
    expect(await queue.has("office", withdrawn)).toBe(false);
    await queue.withdraw("office", withdrawn);
    const seen: string[] = [];
    await using _consumer = await queue.consume("office", 2, async (delivery) => {
      seen.push(delivery.jobId);
      delivery.ack();
    });
    await vi.waitFor(() => expect(seen).toEqual([kept]));
  });

  test("comes again when it is not settled, when it is retried, and when its handler fails", async () => {
    const counts = new Map<string, number[]>();
    const [silent, retried, failing] = [newJob(), newJob(), newJob()];
    await using _consumer = await queue.consume("image", 3, async (delivery) => {
      const count = [...(counts.get(delivery.jobId) ?? []), delivery.deliveries];
      counts.set(delivery.jobId, count);
      if (count.length > 1) return delivery.ack();
      if (delivery.jobId === retried) delivery.retry(100);
      if (delivery.jobId === failing) throw new Error("a defect");
    });
    for (const job of [silent, retried, failing]) await queue.publish("image", job);
    await vi.waitFor(
      () =>
        expect([silent, retried, failing].map((job) => counts.get(job))).toEqual([
          [1, 2],
          [1, 2],
          [1, 2],
        ]),
      10_000,
    );
  });

  test("that is worked on does not come again", async () => {
    const job = newJob();
    let seen = 0;
    const done = Promise.withResolvers<void>();
    await using _consumer = await queue.consume("image", 2, async (delivery) => {
      seen += 1;
      const beat = setInterval(() => delivery.working(), 300);
      await done.promise;
      clearInterval(beat);
      delivery.ack();
    });
    await queue.publish("image", job);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    done.resolve();
    await vi.waitFor(async () => expect(await queue.has("image", job)).toBe(false));
    expect(seen).toBe(1);
  });
});

describe("a consumer", () => {
  test("takes no more than its slots, and leaves the rest to others", async () => {
    const ids = Array.from({ length: 6 }, newJob);
    for (const job of ids) await queue.publish("office", job);
    const gate = Promise.withResolvers<void>();
    const handler = (names: string[]) => async (delivery: Delivery) => {
      names.push(delivery.jobId);
      await gate.promise;
      delivery.ack();
    };
    const [mine, others]: [string[], string[]] = [[], []];
    await using _one = await queue.consume("office", 2, handler(mine));
    await vi.waitFor(() => expect(mine).toHaveLength(2));
    await using _two = await queue.consume("office", 4, handler(others));
    await vi.waitFor(() => expect(others).toHaveLength(4));
    expect(mine).toHaveLength(2);
    gate.resolve();
    for (const job of ids) await vi.waitFor(async () => expect(await queue.has("office", job)).toBe(false));
  });

  test("waits for its handlers when it is disposed, and takes nothing after", async () => {
    const [first, second] = [newJob(), newJob()];
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    const consumer = await queue.consume("office", 1, async (delivery) => {
      seen.push(delivery.jobId);
      await gate.promise;
      delivery.ack();
    });
    await queue.publish("office", first);
    await vi.waitFor(() => expect(seen).toEqual([first]));
    let disposed = false;
    const disposing = consumer[Symbol.asyncDispose]().then(() => {
      disposed = true;
    });
    await queue.publish("office", second);
    expect(disposed).toBe(false);
    gate.resolve();
    await disposing;
    expect(seen).toEqual([first]);
    expect([await queue.has("office", first), await queue.has("office", second)]).toEqual([false, true]);
    await queue.withdraw("office", second);
  });

  test("goes on after the server was killed, and nothing published is lost", async () => {
    const done = new Set<string>();
    await using _consumer = await queue.consume("image", 2, async (delivery) => {
      done.add(delivery.jobId);
      delivery.ack();
    });
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) {
      if (i === 20 || i === 40) await killServer(shared.dataDir);
      const job = newJob();
      await queue.publish("image", job);
      ids.push(job);
    }
    await vi.waitFor(() => expect(ids.filter((job) => !done.has(job))).toEqual([]), 15_000);
  });
});

test("names that would address other subjects are refused", async () => {
  await expect(queue.publish("image", "a.b")).rejects.toThrow(TypeError);
  await expect(queue.publish("video", "a")).rejects.toThrow(TypeError);
  await expect(queue.publish("image", "*")).rejects.toThrow(TypeError);
});
