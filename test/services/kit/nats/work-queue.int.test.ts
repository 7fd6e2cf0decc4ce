import { beforeAll, describe, expect, test } from "vitest";
import type { Delivery, WorkQueue } from "#kit/nats/ports.ts";
import { openTestBroker } from "#test/harness/broker.ts";
import { eventually } from "#test/harness/eventually.ts";
import { opened } from "#test/harness/opened.ts";
import { killServer } from "./text-codec.ts";

const shared = opened(openTestBroker);
let queue: WorkQueue;

/** Longer than a busy machine stalls, so that nothing is redelivered unintentionally. */
const ackWaitMs = 20_000;

beforeAll(async () => {
  queue = await shared.broker.workQueue("JOBS", ["image", "office"], { ackWaitMs });
});

/** A separate queue on a separate broker. */
async function openQueue(ownAckWaitMs: number) {
  await using stack = new AsyncDisposableStack();
  const { broker, dataDir } = stack.use(await openTestBroker());
  const own = await broker.workQueue("JOBS", ["image"], { ackWaitMs: ownAckWaitMs });
  const owned = stack.move();
  return { queue: own, dataDir, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

let jobs = 0;
const newJob = (): string => {
  jobs += 1;
  return `job-${jobs}`;
};

describe("a message", () => {
  test("stays until it is acknowledged, on its lane only", async () => {
    const job = newJob();
    await queue.publish("image", job);
    expect([await queue.has("image", job), await queue.has("office", job)]).toEqual([true, false]);
    const deliveries: Delivery[] = [];
    await using _consumer = await queue.consume("image", 1, async (delivery) => {
      deliveries.push(delivery);
      delivery.ack();
    });
    await eventually(() => expect(deliveries).toMatchObject([{ jobId: job, deliveries: 1 }]));
    await eventually(async () => expect(await queue.has("image", job)).toBe(false));
  });

  test("is queued once per id, and again on request", async () => {
    const job = newJob();
    await queue.publish("office", job);
    await queue.publish("office", job);
    await queue.publish("office", job, { again: true });
    const seen: string[] = [];
    await using _consumer = await queue.consume("office", 1, async (delivery) => {
      seen.push(delivery.jobId);
      delivery.ack();
    });
    await eventually(() => expect(seen).toEqual([job, job]));
    const last = newJob();
    await queue.publish("office", last);
    await eventually(() => expect(seen).toEqual([job, job, last]));
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
    await eventually(() => expect(seen).toEqual([kept]));
  });

  test("is redelivered when it is not settled, is retried or its handler fails", async () => {
    await using own = await openQueue(1000);
    const counts = new Map<string, number[]>();
    const [silent, retried, failing] = [newJob(), newJob(), newJob()];
    await using _consumer = await own.queue.consume("image", 3, async (delivery) => {
      const count = [...(counts.get(delivery.jobId) ?? []), delivery.deliveries];
      counts.set(delivery.jobId, count);
      if (count.length > 1) return delivery.ack();
      if (delivery.jobId === retried) delivery.retry(100);
      if (delivery.jobId === failing) throw new Error("a defect");
    });
    for (const job of [silent, retried, failing]) await own.queue.publish("image", job);
    // Those of a process that stalled for a second are delivered a third time.
    await eventually(() =>
      expect([silent, retried, failing].map((job) => counts.get(job)?.slice(0, 2))).toEqual([
        [1, 2],
        [1, 2],
        [1, 2],
      ]),
    );
  });

  test("is not redelivered while it is being worked on", async () => {
    await using own = await openQueue(4000);
    const [worked, silent] = [newJob(), newJob()];
    const seen: string[] = [];
    const done = Promise.withResolvers<void>();
    await using _consumer = await own.queue.consume("image", 2, async (delivery) => {
      seen.push(delivery.jobId);
      if (delivery.jobId === silent) return delivery.deliveries > 1 ? delivery.ack() : undefined;
      const beat = setInterval(() => delivery.working(), 300);
      await done.promise;
      clearInterval(beat);
      delivery.ack();
    });
    await own.queue.publish("image", worked);
    await eventually(() => expect(seen).toEqual([worked]));
    // A message that is pending this long without progress is redelivered.
    await own.queue.publish("image", silent);
    await eventually(() => expect(seen.slice(1)).toEqual([silent, silent]));
    done.resolve();
    await eventually(async () => expect(await own.queue.has("image", worked)).toBe(false));
    expect(seen).toEqual([worked, silent, silent]);
  });
});

describe("a consumer", () => {
  test("takes no more messages than it has slots and leaves the rest to others", async () => {
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
    await eventually(() => expect(mine).toHaveLength(2));
    await using _two = await queue.consume("office", 4, handler(others));
    await eventually(() => expect(others).toHaveLength(4));
    expect(mine).toHaveLength(2);
    gate.resolve();
    for (const job of ids) await eventually(async () => expect(await queue.has("office", job)).toBe(false));
  });

  test("waits for its handlers on disposal and takes nothing more", async () => {
    const [first, second] = [newJob(), newJob()];
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    const consumer = await queue.consume("office", 1, async (delivery) => {
      seen.push(delivery.jobId);
      await gate.promise;
      delivery.ack();
    });
    await queue.publish("office", first);
    await eventually(() => expect(seen).toEqual([first]));
    let disposed = false;
    const disposing = consumer[Symbol.asyncDispose]().then(() => {
      disposed = true;
    });
    await queue.publish("office", second);
    expect(disposed).toBe(false);
    gate.resolve();
    await disposing;
    expect(seen).toEqual([first]);
    await eventually(async () => expect([await queue.has("office", first), await queue.has("office", second)]).toEqual([false, true]));
    await queue.withdraw("office", second);
  });

  test("continues after the server was killed, without losing a message", async () => {
    await using own = await openQueue(1000);
    const done = new Set<string>();
    await using _consumer = await own.queue.consume("image", 2, async (delivery) => {
      done.add(delivery.jobId);
      delivery.ack();
    });
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) {
      if (i === 20 || i === 40) await killServer(own.dataDir);
      const job = newJob();
      await own.queue.publish("image", job);
      ids.push(job);
    }
    await eventually(() => expect(ids.filter((job) => !done.has(job))).toEqual([]));
  });
});

describe("a local consumer", () => {
  test("is woken without a message: at once in a free slot, else when one frees up, never after disposal", async () => {
    expect(queue.wakeHere("office")).toBe(false);
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    {
      await using _consumer = await queue.consume("office", 1, async ({ jobId, ack }) => {
        seen.push(jobId);
        await gate.promise;
        ack();
      });
      expect(queue.wakeHere("image")).toBe(false);
      expect([queue.wakeHere("office"), queue.wakeHere("office"), queue.wakeHere("office")]).toEqual([true, true, true]);
      expect(seen).toEqual([""]);
      gate.resolve();
      await eventually(() => expect(seen).toEqual(["", "", ""]));
      expect(await queue.waiting("office")).toBe(0);
    }
    expect(queue.wakeHere("office")).toBe(false);
  });

  test("decides whom it has room for", async () => {
    const published = newJob();
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    const handle = async (delivery: Delivery): Promise<void> => {
      seen.push(delivery.jobId);
      await gate.promise;
      delivery.ack();
    };
    await using _consumer = await queue.consume("office", 2, handle, { admits: (isNewcomer) => isNewcomer });
    try {
      queue.wakeHere("office");
      expect(seen).toEqual([]);
      queue.wakeHere("office", { isNewcomer: true });
      expect(seen).toEqual([""]);
      await queue.publish("office", published);
      await eventually(() => expect(seen).toEqual(["", published]));
    } finally {
      gate.resolve();
    }
    await eventually(async () => expect(await queue.has("office", published)).toBe(false));
  });

  test("is woken again when it asks for a retry", async () => {
    const seen: string[] = [];
    await using _consumer = await queue.consume("office", 1, async (delivery) => {
      seen.push(delivery.jobId);
      if (seen.length < 3) delivery.retry(1);
    });
    queue.wakeHere("office");
    await eventually(() => expect(seen).toEqual(["", "", ""]));
  });

  test("holds a message back while its slot is taken", async () => {
    const published = newJob();
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    let busy = 0;
    await using _consumer = await queue.consume("office", 2, async (delivery) => {
      busy += 1;
      expect(busy).toBeLessThanOrEqual(2);
      seen.push(delivery.jobId);
      await gate.promise;
      busy -= 1;
      delivery.ack();
    });
    expect([queue.wakeHere("office"), queue.wakeHere("office")]).toEqual([true, true]);
    await queue.publish("office", published);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(seen).toEqual(["", ""]);
    gate.resolve();
    await eventually(() => expect(seen).toEqual(["", "", published]));
    await eventually(async () => expect(await queue.has("office", published)).toBe(false));
  });
});

test("rejects names that would address other subjects", async () => {
  await expect(queue.publish("image", "a.b")).rejects.toThrow(TypeError);
  await expect(queue.publish("video", "a")).rejects.toThrow(TypeError);
  await expect(queue.publish("image", "*")).rejects.toThrow(TypeError);
  expect(() => queue.wakeHere("*")).toThrow(TypeError);
});
