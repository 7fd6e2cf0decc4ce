/** On a full disk an engine fails on valid files, which must not be called damaged. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { Reason } from "#gen/filemill/common/v1/error_pb.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { watchRoom } from "#services/conversion/adapters/room.ts";
import { failureOf } from "#services/conversion/domain/failure.ts";
import { fillUp, makeRoom, mountMemory } from "#test/faults/mounts.ts";
import { openMill } from "./mill.ts";

const damaged = failureOf(new FilemillError("INVALID_INPUT", "The file is damaged."));
const plenty = 2 ** 30;

function noisyPhoto(): Promise<Buffer> {
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  return sharp({ create: { width: 600, height: 400, channels: 3, background: "red", noise } })
    .jpeg()
    .toBuffer();
}

describe("a failure", () => {
  it("stays as it is if the disk always had space", async () => {
    using room = watchRoom(tmpdir(), { freeBytes: async () => plenty });
    expect(await room.judge(damaged)).toBe(damaged);
  });

  it("is retryable as UNAVAILABLE if the disk was full for a moment", async () => {
    const seen = [plenty, 1000];
    using room = watchRoom(tmpdir(), { freeBytes: async () => seen.shift() ?? plenty });
    await expect.poll(() => seen).toEqual([]);
    expect(await room.judge(damaged)).toMatchObject({ retryable: true, error: { code: "UNAVAILABLE" } });
  });
});

describe.runIf(process.getuid?.() === 0)("a valid picture on a full disk", () => {
  it("is converted once there is space again, and is never called damaged", async () => {
    await using stack = new AsyncDisposableStack();
    const home = await mkdtemp(join(tmpdir(), "filemill-full-"));
    stack.defer(() => rm(home, { recursive: true, force: true }));
    const disk = stack.use(await mountMemory(join(home, "disk"), 64));
    await using mill = await openMill({ MAX_ATTEMPTS: 10 }, disk.path);
    const photo = await noisyPhoto();
    await fillUp(disk.path, photo.length + 50_000);
    // The result is larger than the source.
    const job = await mill.submit(photo, { from: "jpg", to: "tiff" });
    const again = await mill.watch(job, ({ state, attempts }) => state === JobState.QUEUED && attempts > 0);
    expect(again).toMatchObject({ state: JobState.QUEUED });
    await makeRoom(disk.path);
    expect(await mill.watch(job)).toMatchObject({ state: JobState.DONE });
  });

  it("is left to other hosts with shared files, and not attempted without space", async () => {
    await using stack = new AsyncDisposableStack();
    const home = await mkdtemp(join(tmpdir(), "filemill-full-"));
    stack.defer(() => rm(home, { recursive: true, force: true }));
    const disk = stack.use(await mountMemory(join(home, "disk"), 64));
    await using mill = await openMill({ BLOBS: disk.path }, disk.path);
    const photo = await noisyPhoto();
    await fillUp(disk.path, photo.length + 50_000);
    const job = await mill.submit(photo, { from: "jpg", to: "tiff" });
    // Long enough for an attempt to fail if there were one.
    await sleep(2000);
    await makeRoom(disk.path);
    expect(await mill.watch(job)).toMatchObject({ state: JobState.DONE, attempts: 1 });
  });

  it("fails as UNAVAILABLE if there never is any", async () => {
    await using stack = new AsyncDisposableStack();
    const home = await mkdtemp(join(tmpdir(), "filemill-full-"));
    stack.defer(() => rm(home, { recursive: true, force: true }));
    const disk = stack.use(await mountMemory(join(home, "disk"), 64));
    await using mill = await openMill({ MAX_ATTEMPTS: 1 }, disk.path);
    const photo = await noisyPhoto();
    await fillUp(disk.path, photo.length + 50_000);
    expect(await mill.watch(await mill.submit(photo, { from: "jpg", to: "tiff" }))).toMatchObject({
      state: JobState.FAILED,
      error: { reason: Reason.UNAVAILABLE },
    });
  });
});
