/**
 * Rows of the contract's error table that are our own fault or our host's:
 * provoked by damaging a running product's data, and by a hanging broker.
 */
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { filesUnder } from "#test/harness/folders.ts";
import { openStoredRecords } from "#test/harness/job-records.ts";
import { opened } from "#test/harness/opened.ts";
import { call, expectRow, jobIn, jobOf, post, removeAllJobs } from "#test/harness/rest.ts";
import { startServer } from "#test/harness/server.ts";

const problem = { accept: "application/problem+json" };
const light = { OFFICE_SLOTS: "0", MEDIA_SLOTS: "0", DOCUMENT_SLOTS: "0" };

const server = opened(() => startServer(light));

/** Log lines about one request. */
function logOf(requestId: string): { msg: string; error?: string }[] {
  const lines = server
    .log()
    .split("\n")
    .filter((line) => line.includes(requestId));
  return lines.map((line) => JSON.parse(line));
}

/** An internal error is reported in one sentence without details, with an id that leads to its cause in the log. */
async function expectDefect(path: string, cause: RegExp): Promise<void> {
  for (const headers of [{}, problem]) {
    const requestId = `defect-${path.length}-${Object.keys(headers).length}`;
    const answer = await call(server, path, { headers: { ...headers, "x-request-id": requestId } });
    expect(answer.headers.get("x-request-id")).toBe(requestId);
    expect([...answer.headers.keys()]).not.toContain("etag");
    await expectRow(answer, { status: 500, code: "INTERNAL" });
    await expect.poll(() => logOf(requestId).find(({ msg }) => msg === "gateway.defect")?.error).toMatch(cause);
  }
}

const blobPaths = (): Promise<string[]> => filesUnder(join(server.dataDir, "blobs"));

describe("an internal error", () => {
  it("caused by a done job without a result is answered with 500 and logged", async () => {
    await using records = await openStoredRecords(server);
    const { id } = await jobOf(await post(server));
    await records.change(id, ({ job, ...record }) => {
      if (job === undefined) throw new Error("a record without a job");
      const { result: _lost, ...rest } = job;
      return { ...record, job: rest };
    });
    await expect.poll(async () => (await call(server, `/api/v1/jobs/${id}/download`)).status).toBe(500);
    await expectDefect(`/api/v1/jobs/${id}/download`, /INTERNAL|Something went wrong/);
    expect((await call(server, `/api/v1/jobs/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await post(server)).status).toBe(200);
    await removeAllJobs(server);
    // Only the sweep, which waits an hour, still knows about the lost result.
    await expect.poll(async () => (await blobPaths()).length).toBe(1);
    for (const path of await blobPaths()) await rm(path);
  });

  it("caused by a folder in place of a result is answered with 500 and logged", async () => {
    const { id } = await jobOf(await post(server));
    await expect.poll(async () => (await blobPaths()).length).toBe(1);
    const [path = ""] = await blobPaths();
    await rm(path);
    await mkdir(path);
    await expectDefect(`/api/v1/jobs/${id}/download?`, /EISDIR/);
    expect((await jobIn(server, id)).status).toBe("done");
    await rm(path, { recursive: true });
    // A missing result is not an internal error: it is no longer available.
    await expectRow(await call(server, `/api/v1/jobs/${id}/download`), { status: 410, code: "RESULT_EXPIRED" });
    await removeAllJobs(server);
    expect((await post(server)).status).toBe(200);
    await removeAllJobs(server);
    await expect.poll(blobPaths).toEqual([]);
  });
});

describe("503 with Retry-After", () => {
  it("is returned while the broker hangs, until it resumes", async () => {
    const { id } = await jobOf(await post(server));
    const pid = Number(await readFile(join(server.dataDir, "nats/server.pid"), "utf8"));
    process.kill(pid, "SIGSTOP");
    try {
      await expect.poll(() => readFile(`/proc/${pid}/stat`, "utf8")).toContain(") T ");
      const [first, second] = await Promise.all([post(server), post(server, { headers: { ...problem, prefer: "respond-async" } })]);
      await expectRow(first, { status: 503, code: "UNAVAILABLE" });
      await expectRow(second, { status: 503, code: "UNAVAILABLE" });
      await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503);
      expect(JSON.parse(await (await fetch(`${server.url}/readyz`)).text())).toMatchObject({ ready: false, part: "broker" });
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      // Requests that do not need the broker still work.
      expect((await call(server, `/api/v1/jobs/${id}/download`)).status).toBe(200);
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await expect.poll(async () => (await post(server)).status, { interval: 500 }).toBe(200);
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200);
    // Refused work is not done later, and its inputs are gone.
    const unfinished = async () => JSON.parse(await (await call(server, "/api/v1/jobs?status=queued")).text()).jobs;
    await expect.poll(unfinished).toEqual([]);
    await removeAllJobs(server);
    await expect.poll(blobPaths).toEqual([]);
  });

  it("is returned while the disk is nearly full", async () => {
    await using full = await startServer({ ...light, MIN_FREE_DISK_MB: "1000000" });
    await expectRow(await post(full), { status: 503, code: "UNAVAILABLE" });
    await expectRow(await post(full, { headers: problem }), { status: 503, code: "UNAVAILABLE" });
  });

  it("is returned while no engine is registered", async () => {
    await using bare = await startServer({ ...light, IMAGE_SLOTS: "0" });
    await expectRow(await post(bare), { status: 503, code: "UNAVAILABLE" });
    await expectRow(await call(bare, "/api/v1/formats", { headers: problem }), { status: 503, code: "UNAVAILABLE" });
    expect(await readdir(join(bare.dataDir, "blobs/partial"))).toEqual([]);
  });
});
