import { create, equals, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FilemillError, toErrorMessage } from "#contract/errors.ts";
import { AttemptResultSchema, JobRecordSchema, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { dueOf, neededBlobsOf, releasedBlobsOf } from "#services/job/domain/retention.ts";
import {
  cancelled,
  claimed,
  deleted,
  expired,
  failed,
  holdsLease,
  isUnfinished,
  lost,
  type Record,
  requeued,
  succeeded,
} from "#services/job/domain/state.ts";
import { bornMs, queuedRecord, retentionMs } from "./job-record.ts";

const maxAttempts = 3;
const leaseMs = 30_000;
const error = toErrorMessage(new FilemillError("CONVERSION_FAILED", "The engine gave up."));

type Token = { readonly worker: string; readonly attempt: number };
type World = {
  record: Record;
  nowMs: number;
  leaseEndsMs: number;
  readonly tokens: Token[];
  readonly accepted: { token: Token; blob: string }[];
};

/** One event at the store, as the use cases handle it: first the guard, then the transition. */
type Event =
  | { readonly kind: "claim"; readonly worker: string }
  | { readonly kind: "finish"; readonly pick: number; readonly how: "result" | "retryable" | "final" }
  | { readonly kind: "wait"; readonly ms: number }
  | { readonly kind: "lose" | "cancel" | "delete" | "expire" };

function next(world: World, event: Event): Record | undefined {
  const { record, nowMs } = world;
  switch (event.kind) {
    case "wait":
      return undefined;
    case "claim":
      return world.leaseEndsMs > nowMs && isUnfinished(record)
        ? undefined
        : claimed(record, { worker: event.worker, wakeUp: "", leaseMs, maxAttempts, nowMs });
    case "finish": {
      const token = world.tokens[event.pick % Math.max(1, world.tokens.length)];
      if (token === undefined || !holdsLease(record, token.attempt, token.worker)) return undefined;
      const blob = `out-${token.attempt}`;
      if (event.how === "result") {
        world.accepted.push({ token, blob });
        return succeeded(record, create(AttemptResultSchema, { blob: { id: blob } }), 5, nowMs);
      }
      return event.how === "retryable" && record.job.attempts < maxAttempts ? requeued(record, nowMs) : failed(record, error, 5, nowMs);
    }
    case "lose":
      return lost(record);
    case "cancel":
      return cancelled(record, nowMs);
    case "delete":
      return deleted(record, nowMs);
    case "expire":
      switch (dueOf(record, nowMs)) {
        case "cancel":
          return cancelled(record, nowMs);
        case "expire":
          return expired(record);
        default:
          return undefined;
      }
  }
}

function step(world: World, event: Event): void {
  if (event.kind === "wait") world.nowMs += event.ms;
  const before = world.record;
  const after = next(world, event);
  if (after === undefined) return;
  expectStep(before, after);
  world.record = after;
  if (after.job.state === JobState.RUNNING && after.job.attempts > before.job.attempts) {
    world.tokens.push({ worker: after.worker, attempt: after.job.attempts });
    world.leaseEndsMs = world.nowMs + leaseMs;
  } else if (after.job.state !== JobState.RUNNING) world.leaseEndsMs = Number.NEGATIVE_INFINITY;
}

function expectStep(before: Record, after: Record): void {
  expect(after.version).toBe(before.version + 1n);
  expect(after.job.attempts).toBeGreaterThanOrEqual(before.job.attempts);
  expect(after.job.attempts).toBeLessThanOrEqual(maxAttempts);
  if (!isUnfinished(before)) expect(isUnfinished(after)).toBe(false);
  if (before.deleted) expect.unreachable("a deleted record changed");
  // No blob is released twice or needed again after its release.
  for (const id of neededBlobsOf(after)) expect([...neededBlobsOf(before), after.job.result?.id]).toContain(id);
  for (const id of releasedBlobsOf(before, after)) expect(neededBlobsOf(after)).not.toContain(id);
}

function expectState(world: World): void {
  const { record, tokens, accepted } = world;
  const { state, attempts, result } = record.job;
  const isRunning = state === JobState.RUNNING;
  expect(record.worker !== "").toBe(isRunning);
  expect(record.leaseUntil !== undefined).toBe(isRunning);
  expect(attempts).toBe(tokens.length);
  const holders = tokens.filter((token) => holdsLease(record, token.attempt, token.worker));
  expect(holders.length).toBe(isRunning && !record.deleted ? 1 : 0);
  expect(accepted.length).toBeLessThanOrEqual(1);
  expect(result?.id).toBe(accepted[0]?.blob);
  if (state === JobState.DONE || state === JobState.EXPIRED) expect(accepted.length).toBe(1);
  expect(record.job.error !== undefined).toBe(state === JobState.FAILED);
  expect(record.job.finishedAt !== undefined).toBe(!isUnfinished(record));
  expect(neededBlobsOf(record).length).toBe(!record.deleted && (isUnfinished(record) || state === JobState.DONE) ? 1 : 0);
  // Reading back from the store gives what was written, which also matters for judging writes in doubt.
  expect(equals(JobRecordSchema, fromBinary(JobRecordSchema, toBinary(JobRecordSchema, record)), record)).toBe(true);
}

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("claim" as const), worker: fc.constantFrom("a", "b", "c") }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("finish" as const),
      pick: fc.nat(5),
      how: fc.constantFrom("result" as const, "retryable" as const, "final" as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, leaseMs / 2, leaseMs + 1, retentionMs) }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: "expire" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "lose" as const }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("cancel" as const, "delete" as const) }) },
);

describe("the state machine", () => {
  it("keeps its invariants under any interleaving of workers, clients and time", () => {
    const reached = new Set<JobState>();
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40, size: "max" }), (events) => {
        const world: World = { record: queuedRecord(), nowMs: bornMs, leaseEndsMs: Number.NEGATIVE_INFINITY, tokens: [], accepted: [] };
        for (const each of events) {
          step(world, each);
          expectState(world);
          reached.add(world.record.job.state);
        }
      }),
      { numRuns: 1500 },
    );
    // The model is only useful if it reaches every state.
    expect([...reached].sort()).toEqual([
      JobState.QUEUED,
      JobState.RUNNING,
      JobState.DONE,
      JobState.FAILED,
      JobState.CANCELLED,
      JobState.EXPIRED,
    ]);
  });

  it("fails a job that has used up its attempts, with a reason", () => {
    const spent = { ...queuedRecord(), job: { ...queuedRecord().job, attempts: 3 } };
    const parked = claimed(spent, { worker: "a", wakeUp: "", leaseMs, maxAttempts, nowMs: bornMs });
    expect(parked?.job.state).toBe(JobState.FAILED);
    expect(parked?.job.error?.message).toBe("The conversion was attempted 3 times and never finished.");
  });

  it("requeues a job of a dead worker as if it had never started, except for its attempts", () => {
    const running = claimed(queuedRecord(), { worker: "a", wakeUp: "b", leaseMs, maxAttempts, nowMs: bornMs });
    if (running === undefined) throw new Error("not claimed");
    const back = lost(running);
    expect(back).toEqual({ ...queuedRecord(), version: 3n, job: { ...queuedRecord().job, attempts: 1 } });
    expect(lost(running, bornMs + 5000)?.notBefore).toEqual(timestampFromMs(bornMs + 5000));
    for (const other of [back, cancelled(running, bornMs), deleted(running, bornMs)]) expect(lost(other ?? running)).toBeUndefined();
  });

  it("keeps a done job from when it finished, not from when it was created", () => {
    const running = claimed(queuedRecord(), { worker: "a", wakeUp: "", leaseMs, maxAttempts, nowMs: bornMs });
    if (running === undefined) throw new Error("not claimed");
    const done = succeeded(running, create(AttemptResultSchema, { blob: { id: "out" } }), 7, bornMs + 1000);
    expect(dueOf(done, bornMs + retentionMs)).toBeUndefined();
    expect(dueOf(done, bornMs + retentionMs + 1000)).toBe("expire");
    expect(dueOf(expired(done) ?? done, bornMs + retentionMs + 1000)).toBeUndefined();
    expect(dueOf(expired(done) ?? done, bornMs + retentionMs + 1000 + 7 * 24 * 3600_000)).toBe("remove");
  });
});
