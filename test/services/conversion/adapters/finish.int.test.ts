import { describe, expect, it } from "vitest";
import { openLog } from "#kit/log.ts";
import type { Delivery } from "#kit/nats/ports.ts";
import { finishAttempt } from "#services/conversion/adapters/finish.ts";
import { createClaimed, type JobBench, openJobBench } from "#test/services/job/job-harness.ts";

/** Finishes an attempt at a job that another worker holds, until its wake-up has been delivered `wanted` times and none is left. */
async function expectDeliveries(bench: JobBench, wanted: number): Promise<void> {
  const { lease } = await createClaimed(bench, "winner");
  const blob = await bench.blob("out");
  const end = { kind: "done" as const, processorMs: 0, blob, notes: [] };
  let deliveries = 0;
  const handle = async (delivery: Delivery): Promise<void> => {
    deliveries = delivery.deliveries;
    if (deliveries > 1) return delivery.ack();
    const parts = { leases: bench.leases, node: "loser" };
    await finishAttempt({ parts, lease, delivery, log: openLog("fatal"), leaving: new AbortController().signal }, end, 1);
  };
  await using _consumer = await bench.queue.consume("image", 1, handle);
  await expect.poll(async () => ({ waiting: await bench.queue.waiting("image"), deliveries })).toEqual({ waiting: 0, deliveries: wanted });
  await expect.poll(() => bench.blobs.has(blob.id)).toBe(false);
}

describe("a rejected result", () => {
  it("settles the wake-up", async () => {
    await using bench = await openJobBench();
    await expectDeliveries(bench, 1);
  });
});
