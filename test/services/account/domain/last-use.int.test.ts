import { create } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { KeySchema } from "#gen/filemill/account/v1/account_pb.ts";
import { createRecords, openBuckets } from "#services/account/adapters/records.ts";
import { createLastUse, lastUseResolutionMs } from "#services/account/domain/last-use.ts";
import { openTestBroker } from "#test/harness/broker.ts";

test("writes a key's last use at most once a minute and never undoes a revocation", async () => {
  await using shared = await openTestBroker();
  const buckets = await openBuckets(shared.broker);
  const records = createRecords(buckets);
  const key = create(KeySchema, { id: "key_1", accountId: "acc_1" });
  await records.createKey("hash", key);
  const revisionAfter = async (nowMs: number, known = key) => {
    await using lastUse = createLastUse(records, shared.log, () => nowMs);
    for (let i = 0; i < 20; i++) lastUse.note("hash", known);
    await lastUse[Symbol.asyncDispose]();
    const entry = await buckets.keys.get("hash");
    return { revision: entry?.revision ?? 0, key: entry?.value.key ?? key };
  };

  const startMs = 1_800_000_000_000;
  const first = await revisionAfter(startMs);
  expect(timestampMs(first.key.lastUsedAt ?? timestampFromMs(0))).toBe(startMs);
  // Whether or not this process has already seen its own write.
  expect((await revisionAfter(startMs + lastUseResolutionMs - 1)).revision).toBe(first.revision);
  expect((await revisionAfter(startMs + lastUseResolutionMs - 1, first.key)).revision).toBe(first.revision);

  const revokedAt = timestampFromMs(startMs + 1);
  await records.changeKey("hash", (present) => create(KeySchema, { ...present, revokedAt }));
  const second = await revisionAfter(startMs + lastUseResolutionMs, first.key);
  expect(second.revision).toBe(first.revision + 2);
  expect(second.key.revokedAt).toEqual(revokedAt);
});
