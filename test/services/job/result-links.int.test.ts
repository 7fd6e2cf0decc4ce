import { expect, it } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { createClaimed, failureOf, openJobBench } from "./job-harness.ts";

const bench = opened(openJobBench);

const mine = (jobId: string) => ({ accountId: "acc", jobId });

async function doneJob(): Promise<string> {
  const { jobId } = await createClaimed(bench);
  const outcome = { case: "result" as const, value: { blob: await bench.blob("output"), notes: [] } };
  await bench.leases.finishAttempt({ jobId, attempt: 1, worker: "w1", outcome, durationMs: 12 });
  return jobId;
}

const linkTo = async (jobId: string, maxDownloads = 0, lifeSeconds = 3600) =>
  (await bench.jobs.createResultLink({ ...mine(jobId), lifeSeconds, maxDownloads })).link?.id ?? "";
const open = (jobId: string, linkId: string, download = true) => bench.jobs.openResultLink({ ...mine(jobId), linkId, download });
const refusal = async (asked: Promise<unknown>) => (await failureOf(asked))?.code;

it("counts downloads, not page views, and expires when they are used up, even by concurrent requests", async () => {
  const jobId = await doneJob();
  const id = await linkTo(jobId, 3);
  expect((await open(jobId, id, false)).link).toMatchObject({ downloads: 0, maxDownloads: 3 });
  const ends = await Promise.allSettled(Array.from({ length: 8 }, () => open(jobId, id)));
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  expect(await refusal(open(jobId, id, false))).toBe("NOT_FOUND");
  expect((await bench.jobs.listResultLinks(mine(jobId))).links).toEqual([]);
});

it("is gone once revoked or once its job is deleted, just like a link that never existed", async () => {
  const jobId = await doneJob();
  const [id, other] = [await linkTo(jobId), await linkTo(jobId)];
  await bench.jobs.revokeResultLink({ ...mine(jobId), linkId: id });
  await bench.jobs.revokeResultLink({ ...mine(jobId), linkId: "never" });
  expect(await refusal(open(jobId, id))).toBe("NOT_FOUND");
  expect((await bench.jobs.listResultLinks(mine(jobId))).links.map((link) => link.id)).toEqual([other]);
  expect(await refusal(open(jobId, "never"))).toBe("NOT_FOUND");
  expect(await refusal(bench.jobs.openResultLink({ accountId: "another", jobId, linkId: other }))).toBe("NOT_FOUND");
  expect(await refusal(bench.jobs.listResultLinks({ accountId: "another", jobId }))).toBe("JOB_NOT_FOUND");
  await bench.jobs.deleteJob(mine(jobId));
  expect(await refusal(open(jobId, other))).toBe("NOT_FOUND");
});

it("never outlives the result or its own lifetime", async () => {
  const jobId = await doneJob();
  const { job } = await bench.jobs.getJob(mine(jobId));
  const { link } = await bench.jobs.createResultLink({ ...mine(jobId), lifeSeconds: 30 * 86_400, maxDownloads: 0 });
  expect(link?.expiresAt).toEqual(job?.expiresAt);
  const short = await linkTo(jobId, 0, 60);
  bench.clock.advance(61_000);
  expect(await refusal(open(jobId, short))).toBe("NOT_FOUND");
  expect((await bench.jobs.listResultLinks(mine(jobId))).links.map(({ id }) => id)).toEqual([link?.id]);
});

it("is refused for unfinished jobs, invalid limits and a 21st link", async () => {
  const { jobId: running } = await createClaimed(bench);
  expect(await refusal(linkTo(running))).toBe("JOB_NOT_DONE");
  const jobId = await doneJob();
  expect(await refusal(linkTo(jobId, 0, 59))).toBe("BAD_REQUEST");
  expect(await refusal(linkTo(jobId, 1001))).toBe("BAD_REQUEST");
  for (let made = 0; made < 20; made += 1) await linkTo(jobId);
  expect(await refusal(linkTo(jobId))).toBe("BAD_REQUEST");
});

it("lists all accounts' jobs for operators, newest first, in pages", async () => {
  const { jobs, nextCursor } = await bench.jobs.listAllJobs({ limit: 2 });
  const { jobs: own } = await bench.jobs.listJobs({ accountId: "acc", limit: 2 });
  expect(jobs.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
  const older = await bench.jobs.listAllJobs({ limit: 2, cursor: nextCursor });
  expect(older.jobs.length).toBeGreaterThan(0);
  expect(older.jobs.every(({ id }) => id < (jobs.at(-1)?.id ?? ""))).toBe(true);
});
