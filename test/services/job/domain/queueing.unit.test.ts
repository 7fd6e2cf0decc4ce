import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PlanSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { checkCeiling, createAdmission } from "#services/job/domain/admission.ts";
import { createHistory } from "#services/job/domain/history.ts";
import { createJobIds, isJobId } from "#services/job/domain/job-id.ts";
import { listJobs } from "#services/job/domain/listing.ts";
import { createProjection, type Projection } from "#services/job/domain/projection.ts";
import { retryDelayMs } from "#services/job/domain/retry.ts";
import { createSortedIds } from "#services/job/domain/sorted-ids.ts";
import { cancelled, claimed, deleted, type Record } from "#services/job/domain/state.ts";
import { createView } from "#services/job/domain/view.ts";
import { bornMs, queuedRecord } from "./job-record.ts";

const clock = { now: () => bornMs, monotonicMs: () => 0 };
const openProjection = (): Projection => createProjection(clock, 600_000);

function idOf(index: number): string {
  return `01kc00000000000000000${String(index).padStart(5, "0")}`;
}

function running(record: Record): Record {
  const next = claimed(record, { worker: "w", wakeUp: "", leaseMs: 1000, maxAttempts: 3, nowMs: bornMs });
  if (next === undefined) throw new Error("not claimed");
  return next;
}

describe("retryDelayMs", () => {
  it("waits 1, 5 and then 25 s, ±20%", () => {
    expect([1, 2, 3, 9].map((attempt) => retryDelayMs(attempt, 0.5))).toEqual([1000, 5000, 25_000, 25_000]);
    expect([retryDelayMs(2, 0), retryDelayMs(2, 1)]).toEqual([4000, 6000]);
  });
});

describe("job ids", () => {
  it("sort by creation within a millisecond and are valid", () => {
    const next = createJobIds();
    const ids = Array.from({ length: 1000 }, () => next(bornMs));
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(1000);
    expect(ids.every(isJobId)).toBe(true);
  });

  it("reject anything that could address something else", () => {
    const hostile = [
      "",
      "*",
      ">",
      "../../x",
      "01KC0000000000000000000000",
      "01kc00000000000000000000i0",
      "81kc0000000000000000000000",
      "a.b",
    ];
    expect(hostile.filter(isJobId)).toEqual([]);
  });
});

describe("sorted ids", () => {
  it("match a sorted set after any additions and removals", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(30))), (steps) => {
        const sorted = createSortedIds();
        const model = new Set<string>();
        for (const [isAddition, index] of steps) {
          if (isAddition) sorted.add(idOf(index));
          else sorted.remove(idOf(index));
          if (isAddition) model.add(idOf(index));
          else model.delete(idOf(index));
        }
        expect(sorted.ids).toEqual([...model].sort());
        for (const id of model) expect(sorted.ids[sorted.rank(id)]).toBe(id);
      }),
    );
  });
});

describe("the projection", () => {
  it("ignores records older than the one it holds", () => {
    const projection = openProjection();
    projection.apply(running(queuedRecord()), 7);
    projection.apply(queuedRecord(), 6);
    expect(projection.get(queuedRecord().job.id)?.record.job.state).toBe(JobState.RUNNING);
  });

  it("counts and positions jobs by lane and account throughout their life", () => {
    const projection = openProjection();
    const records = [1, 2, 3].map((index) => queuedRecord({ id: idOf(index) }));
    for (const record of records) projection.apply(record, 1);
    projection.apply(queuedRecord({ id: idOf(9), accountId: "other", lane: "media" }), 1);
    expect(records.map(({ job }) => projection.position("image", job.id))).toEqual([1, 2, 3]);

    const [first, second] = records;
    if (first === undefined || second === undefined) throw new Error("three records");
    projection.apply(running(first), 2);
    expect(projection.position("image", idOf(3))).toBe(2);
    expect(projection.lane("image")).toMatchObject({ queuedCount: 2, runningCount: 1 });

    projection.apply(cancelled(second, bornMs) ?? second, 2);
    expect([projection.unfinishedCount("acc"), projection.unfinishedCount()]).toEqual([2, 3]);
    projection.apply(deleted(running(first), bornMs) ?? first, 3);
    expect(projection.idsOf("acc")).toEqual([idOf(2), idOf(3)]);
    projection.drop(idOf(3));
    expect([projection.unfinishedCount("acc"), projection.lane("image").queuedCount, projection.idsOf("acc").length]).toEqual([0, 0, 1]);
  });

  it("caps a lease at the maximum, whatever its date says", () => {
    const projection = createProjection(clock, 5000);
    const far = claimed(queuedRecord(), { worker: "w", wakeUp: "", leaseMs: 9_000_000, maxAttempts: 3, nowMs: bornMs });
    if (far === undefined) throw new Error("not claimed");
    expect(projection.apply(far, 1).leaseEndsMs).toBe(5000);
  });
});

const placeOf = (id: string, payer: string) => ({ id, payer, inputBytes: 0 });

describe("admission", () => {
  it("holds a place per job until it is released", () => {
    const projection = openProjection();
    const admission = createAdmission(projection, 3);
    const giveBack = admission.take(placeOf(idOf(1), "acc"), 2);
    admission.take(placeOf(idOf(1), "acc"), 2);
    admission.take(placeOf(idOf(2), "acc"), 2);
    expect(() => admission.take(placeOf(idOf(3), "acc"), 2)).toThrow(
      expect.objectContaining({ code: "TOO_MANY_JOBS", details: { limit: 2 } }),
    );
    admission.take(placeOf(idOf(4), "other"), 0);
    expect(() => admission.take(placeOf(idOf(5), "other"), 0)).toThrow(expect.objectContaining({ code: "OVERLOADED", retryAfterMs: 5000 }));
    giveBack();
    giveBack();
    // The second request for the same job still holds its place.
    expect(() => admission.take(placeOf(idOf(3), "acc"), 2)).toThrow(expect.objectContaining({ code: "TOO_MANY_JOBS" }));
  });

  it("does not count a job twice that is already in the projection", () => {
    const projection = openProjection();
    const admission = createAdmission(projection, 10);
    admission.take(placeOf(idOf(1), "acc"), 2);
    projection.apply(queuedRecord({ id: idOf(1) }), 1);
    expect(() => admission.take(placeOf(idOf(2), "acc"), 2)).not.toThrow();
  });

  const tooLarge = (limitMb: number, limitedBy: string) =>
    expect.objectContaining({ code: "INPUT_TOO_LARGE", details: { limitMb, limitedBy } });
  it("applies the smaller size limit, in units of 10^6 bytes", () => {
    const plan = create(PlanSchema, { maxInputMb: 5 });
    expect(() => checkCeiling(5_000_000n, plan, 0)).not.toThrow();
    expect(() => checkCeiling(5_000_001n, plan, 0)).toThrow(tooLarge(5, "conversion"));
    expect(() => checkCeiling(5_000_001n, plan, 9)).toThrow(tooLarge(5, "conversion"));
    expect(() => checkCeiling(3_000_001n, plan, 3)).toThrow(tooLarge(3, "plan"));
    expect(() => checkCeiling(3_000_001n, create(PlanSchema, {}), 3)).toThrow(tooLarge(3, "plan"));
  });
});

describe("estimates", () => {
  it("grow with the queue position and shrink with progress", () => {
    const projection = openProjection();
    const view = createView(projection, createHistory(), { ...clock, now: () => bornMs + 1000 });
    const held = [1, 2].map((index) => projection.apply(queuedRecord({ id: idOf(index) }), 1));
    expect(held.map((each) => view(each)).map(({ queuePosition, estimateMs }) => [queuePosition, estimateMs])).toEqual([
      [1, 150],
      [2, 300],
    ]);
    projection.apply(running(queuedRecord({ id: idOf(1) })), 2);
    projection.extendLease(idOf(1), 1000, 0.25);
    const first = projection.get(idOf(1));
    if (first === undefined) throw new Error("no job");
    expect(view(first)).toMatchObject({ queuePosition: 0, estimateMs: 3000, progress: 0.25 });
  });

  it("do not count a job twice that was claimed after its record was read", () => {
    const projection = openProjection();
    const view = createView(projection, createHistory(), clock);
    const read = projection.apply(queuedRecord({ id: idOf(1) }), 1);
    expect(view(read).estimateMs).toBe(150);
    projection.apply(running(queuedRecord({ id: idOf(1) })), 2);
    expect(view(read).estimateMs).toBe(150);
  });
});

describe("listing", () => {
  it("returns every job once, newest first, whatever the page size", () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 20 }), (count, limit) => {
        const projection = openProjection();
        const view = createView(projection, createHistory(), clock);
        for (let index = 0; index < count; index += 1) projection.apply(queuedRecord({ id: idOf(index) }), 1);
        const seen: string[] = [];
        let cursor = "";
        do {
          const page = listJobs(projection, view, { accountId: "acc", state: JobState.UNSPECIFIED, limit, cursor });
          expect(page.jobs.length).toBeLessThanOrEqual(limit);
          // A job created meanwhile does not shift the pages.
          projection.apply(queuedRecord({ id: idOf(count + seen.length + 100) }), 1);
          seen.push(...page.jobs.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== "");
        expect(seen).toEqual(Array.from({ length: count }, (_, index) => idOf(count - 1 - index)));
      }),
    );
  });

  it("filters by state and rejects an invalid cursor", () => {
    const projection = openProjection();
    const view = createView(projection, createHistory(), clock);
    for (const index of [1, 2, 3]) projection.apply(queuedRecord({ id: idOf(index) }), 1);
    projection.apply(running(queuedRecord({ id: idOf(2) })), 2);
    const listing = { accountId: "acc", state: JobState.RUNNING, limit: 0, cursor: "" };
    expect(listJobs(projection, view, listing).jobs.map(({ id }) => id)).toEqual([idOf(2)]);
    expect(listJobs(projection, view, { ...listing, accountId: "nobody" })).toEqual({ jobs: [], nextCursor: "" });
    expect(() => listJobs(projection, view, { ...listing, cursor: "x" })).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
    expect(() => listJobs(projection, view, { ...listing, limit: 101 })).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
  });
});
