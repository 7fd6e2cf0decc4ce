import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { Reason } from "#gen/filemill/common/v1/error_pb.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { opened } from "#test/harness/opened.ts";
import { accountId, openMill } from "./mill.ts";

const mill = opened(openMill);

const picture = (width = 40, height = 30) => sharp({ create: { width, height, channels: 3, background: "teal" } });

async function bytesOf(blobId: string): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(await mill.blobs.read(blobId)));
}

/** Deletes the jobs and expects that nothing is left of them. */
async function expectNothingLeft(...jobIds: string[]): Promise<void> {
  for (const jobId of jobIds) await mill.jobs.deleteJob({ accountId, jobId });
  await expect.poll(() => mill.leftovers()).toEqual({ blobs: [], scratch: [] });
}

describe("a job", () => {
  it("is converted and leaves nothing else behind", async () => {
    const job = await mill.submit(await picture().png().toBuffer(), { from: "png", to: "webp", options: { quality: "50" } });
    const done = await mill.watch(job);
    expect(done).toMatchObject({ state: JobState.DONE, attempts: 1 });
    expect(await sharp(await bytesOf(done.result?.id ?? "")).metadata()).toMatchObject({ format: "webp", width: 40, height: 30 });
    await expect.poll(async () => (await mill.leftovers()).scratch).toEqual([]);
    await expectNothingLeft(job.id);
  });

  it("fails at the first attempt if its file is invalid", async () => {
    const png = await picture().png().toBuffer();
    const cases: [Uint8Array | string, string, Reason][] = [
      ["", "png", Reason.INVALID_INPUT],
      ["not a picture", "png", Reason.INVALID_INPUT],
      [png.subarray(0, png.length - 30), "png", Reason.INVALID_INPUT],
      ['<svg xmlns="http://www.w3.org/2000/svg" width="100000" height="100000"/>', "svg", Reason.INPUT_TOO_COMPLEX],
    ];
    const ids: string[] = [];
    for (const [content, from, reason] of cases) {
      const failed = await mill.watch(await mill.submit(content, { from, to: "webp" }));
      expect(failed).toMatchObject({ state: JobState.FAILED, attempts: 1, error: { reason } });
      expect(failed.error?.message).not.toMatch(/\//);
      ids.push(failed.id);
    }
    const after = await mill.watch(await mill.submit(png, { from: "png", to: "webp" }));
    expect(after.state).toBe(JobState.DONE);
    await expectNothingLeft(...ids, after.id);
  });

  it("is counted in the metrics", async () => {
    const text = await mill.metrics.metrics();
    expect(text).toMatch(/filemill_attempts_total\{engine="sharp",outcome="done"\} [1-9]/);
    expect(text).toMatch(/filemill_attempts_total\{engine="sharp",outcome="failed"\} [1-9]/);
    expect(text).toMatch(/filemill_hop_seconds_count\{engine="sharp"\} [1-9]/);
    expect(text).toContain('filemill_sandbox_mode{mode="full"} 1');
  });
});
