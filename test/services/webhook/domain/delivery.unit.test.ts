import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { JobSchema } from "#gen/filemill/job/v1/job_pb.ts";
import { DeliveryState, EventType } from "#gen/filemill/webhook/v1/webhook_pb.ts";
import { claimed, dueMsOf, newDelivery, replayed, settled } from "#services/webhook/domain/delivery.ts";
import { createSchedule } from "#services/webhook/domain/schedule.ts";

const job = create(JobSchema, { id: "01j00000000000000000000000" });
const webhook = { id: "wh_1", accountId: "acc_1" };
const schedule = createSchedule([1000, 2000], () => 0.5);
const made = (nowMs = 0) => newDelivery(webhook, EventType.JOB_DONE, job, nowMs);

test("the same job and webhook always produce the same message id", () => {
  expect(made(1).delivery?.id).toBe(made(2).delivery?.id);
});

test("a delivery is due at once, and while claimed only after its claim expires", () => {
  expect(dueMsOf(made(5000))).toBe(5000);
  const dueMs = dueMsOf(claimed(made(5000), 6000)) ?? 0;
  expect(dueMs).toBeGreaterThan(6000 + 15_000);
});

test.each([200, 201, 204, 299])("%d completes a delivery", (status) => {
  const { delivery, claimedUntil } = settled(claimed(made(), 0), { status }, schedule, 9);
  expect(delivery).toMatchObject({ state: DeliveryState.DELIVERED, attempts: 1, lastStatus: status });
  expect(claimedUntil).toBeUndefined();
  expect(dueMsOf(settled(made(), { status }, schedule, 9))).toBeUndefined();
});

test.each([{ status: 500 }, { status: 302 }, { status: 404 }, { error: "no answer in time" }])(
  "%o is retried until the schedule is used up",
  (outcome) => {
    const first = settled(made(), outcome, schedule, 10_000);
    expect(dueMsOf(first)).toBe(11_000);
    const second = settled(first, outcome, schedule, 20_000);
    expect(dueMsOf(second)).toBe(22_000);
    const third = settled(second, outcome, schedule, 30_000);
    expect(third.delivery).toMatchObject({ state: DeliveryState.FAILED, attempts: 3 });
    expect(dueMsOf(third)).toBeUndefined();
  },
);

test("410 fails a delivery at the first attempt", () => {
  expect(settled(made(), { status: 410 }, schedule, 1).delivery?.state).toBe(DeliveryState.FAILED);
});

test("a replay starts over at once with the same id", () => {
  const failed = settled(made(), { status: 410 }, schedule, 1);
  const again = replayed(failed, 77);
  expect(again.delivery).toMatchObject({ id: failed.delivery?.id, state: DeliveryState.PENDING, attempts: 0 });
  expect(timestampMs(again.delivery?.nextAttemptAt ?? timestampFromMs(0))).toBe(77);
});

test("delays are jittered by ±20%", () => {
  expect(createSchedule([1000], () => 0).nextMs(1)).toBe(800);
  expect(createSchedule([1000], () => 0.999_999).nextMs(1)).toBe(1200);
  expect(createSchedule([1000]).nextMs(2)).toBeUndefined();
});
