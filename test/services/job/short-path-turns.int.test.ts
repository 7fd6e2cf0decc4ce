/** The order of jobs when only one process knows some of them (decision 68). */
import { describe, expect, it } from "vitest";
import { JobState, type Lease, ClaimAttemptResponse_Outcome as Outcome } from "#gen/filemill/job/v1/job_pb.ts";
import type { Delivery } from "#kit/nats/ports.ts";
import { openJobBench } from "./job-harness.ts";
import { create, finish, jobOf, openWorker } from "./short-path-worker.ts";

const patient = { cadence: { unwrittenMs: 60_000 } };
const impatient = { cadence: { unwrittenMs: 20 } };

describe("turns", () => {
  it("are per lane: a queued job goes first when it is its account's turn", async () => {
    await using bench = await openJobBench(patient);
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const work = async (lease: Lease) => {
      order.push(lease.jobId);
      if (order.length === 1) await gate.promise;
      await finish(bench, lease);
    };
    await using _worker = await openWorker(bench, { work });
    const first = create(bench);
    await expect.poll(() => order.length).toBe(1);
    // Promised to the client, so it is in the store.
    const other = await create(bench, { accountId: "other", durable: true });
    const second = create(bench);
    gate.resolve();
    expect(order).toEqual([(await first).id, other.id, (await second).id]);
  });

  it("start a newcomer in the reserved slot even if others are waiting", async () => {
    await using bench = await openJobBench(impatient);
    const outcomes: Outcome[] = [];
    const gate = Promise.withResolvers<void>();
    const handle = async ({ jobId }: Delivery): Promise<void> => {
      const idleAccountOnly = outcomes.length > 0;
      const claim = { jobId, lane: "image", worker: "w1", leaseMs: 30_000, idleAccountOnly };
      outcomes.push((await bench.leases.claimAttempt(claim)).outcome);
      await gate.promise;
    };
    await using _consumer = await bench.queue.consume("image", 1, handle, { admits: (isNewcomer) => isNewcomer || outcomes.length === 0 });
    try {
      expect(await create(bench, { accountId: "busy" })).toMatchObject({ state: JobState.RUNNING });
      expect(await create(bench, { accountId: "busy" })).toMatchObject({ state: JobState.QUEUED });
      expect(await create(bench, { accountId: "newcomer" })).toMatchObject({ state: JobState.RUNNING, attempts: 1 });
      expect(outcomes).toEqual([Outcome.LEASED, Outcome.LEASED]);
      expect(await create(bench, { accountId: "newcomer" })).toMatchObject({ state: JobState.QUEUED });
    } finally {
      gate.resolve();
    }
  });
});

it("records promised, idempotent and always slow jobs before they start", async () => {
  await using bench = await openJobBench(patient);
  await using worker = await openWorker(bench, { slots: 2 });
  expect(await create(bench, { durable: true })).toMatchObject({ state: JobState.QUEUED });
  expect(await create(bench, { idempotencyKey: "k" })).toMatchObject({ state: JobState.QUEUED });
  expect(await create(bench, { to: "mp4" })).toMatchObject({ state: JobState.QUEUED });
  await expect
    .poll(() => worker.taken.map(({ outcome, delivery }) => [outcome, delivery.jobId === ""]))
    .toEqual([
      [Outcome.LEASED, false],
      [Outcome.LEASED, false],
    ]);
});

it.each([10, 60_000])("loses and repeats no attempt under load, with %i ms on the short path", async (unwrittenMs) => {
  await using bench = await openJobBench({ cadence: { unwrittenMs } });
  const ends: boolean[] = [];
  await using _worker = await openWorker(bench, { slots: 3, work: async (lease) => ends.push((await finish(bench, lease)).accepted) });
  const ids: string[] = [];
  const client = async (): Promise<void> => {
    for (let count = 0; count < 40; count += 1)
      ids.push((await create(bench, count % 3 === 0 ? { idempotencyKey: crypto.randomUUID() } : {})).id);
  };
  await Promise.all(Array.from({ length: 6 }, client));
  await expect.poll(() => ends.length, { timeout: 20_000 }).toBe(ids.length);
  expect(ends.filter((accepted) => !accepted)).toEqual([]);
  for (const id of ids) expect(await jobOf(bench, id)).toMatchObject({ state: JobState.DONE, attempts: 1 });
});
