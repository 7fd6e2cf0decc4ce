import sharp from "sharp";
import { expect, test } from "vitest";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { accountId, hasEnded, type Mill, openMill } from "./mill.ts";
import { endlessSvg } from "./slow-work.ts";

/** Converts a picture of another account and waits for the end. */
async function convertFor(mill: Mill, stranger: string): Promise<JobState> {
  const icon = await sharp({ create: { width: 40, height: 30, channels: 3, background: "teal" } })
    .png()
    .toBuffer();
  const input = await mill.blobs.write(
    (async function* () {
      yield icon;
    })(),
  );
  const { job } = await mill.jobs.createJob({ accountId: stranger, from: "png", to: "webp", input, sourceName: "in.png" });
  for await (const { job: now } of mill.jobs.watchJob({ accountId: stranger, jobId: job?.id ?? "" })) {
    if (now !== undefined && hasEnded(now)) return now.state;
  }
  throw new Error("the job is gone");
}

test("converts another account's picture while one account fills every slot with long jobs and has more queued", async () => {
  await using mill = await openMill({ IMAGE_SLOTS: 2, CONVERSION_TIMEOUT_MS: 600_000 });
  const long = await Promise.all(Array.from({ length: 4 }, () => mill.submit(endlessSvg(), { from: "svg", to: "png" })));
  const statesOfLong = async (): Promise<readonly JobState[]> => {
    const found = await Promise.all(long.map(({ id }) => mill.jobs.getJob({ accountId, jobId: id })));
    return found.map(({ job }) => job?.state ?? JobState.UNSPECIFIED).sort();
  };
  const full = [JobState.QUEUED, JobState.QUEUED, JobState.RUNNING, JobState.RUNNING];
  await expect.poll(statesOfLong).toEqual(full);
  // One at a time, as each leaves the reserved slot to the next.
  for (const stranger of ["B", "C", "B"]) expect(await convertFor(mill, stranger)).toBe(JobState.DONE);
  expect(await statesOfLong()).toEqual(full);
  for (const { id } of long) await mill.jobs.cancelJob({ accountId, jobId: id });
});
