/** Rows of the contract's error table about limits: size, number, rate, time and age. */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, filePart, headOf, openRaw, toPart } from "#test/gateway/raw-client.ts";
import { expectUnharmed, type Footprint, footprintAtRest, footprintOf } from "#test/harness/footprint.ts";
import { slowDrawing } from "#test/harness/hostile-files.ts";
import { openStoredRecords } from "#test/harness/job-records.ts";
import { call, expectRow, jobIn, jobOf, post, removeAllJobs, type Upload } from "#test/harness/rest.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";

const plus = { apiAccess: true, maxInputMb: 30, requestsPerMinute: 1000, maxUnfinishedJobs: 1, retentionSeconds: 3600 };
const plansWith = (own: object) => ({ plus: { ...plus, ...own }, free: { ...plus, apiAccess: false } });
const problem = { accept: "application/problem+json" };
const later = { prefer: "respond-async" };
/** Takes minutes. */
const long: Upload = { to: "png", file: slowDrawing(), name: "a.svg", headers: later };

async function end(server: TestServer, id: string): Promise<void> {
  expect((await call(server, `/api/v1/jobs/${id}`, { method: "DELETE" })).status).toBe(204);
}

describe("a limit", () => {
  let server: TestServer;
  let before: Footprint;
  beforeAll(async () => {
    server = await startServer({ OFFICE_SLOTS: "0", IMAGE_SLOTS: "1", MAX_UNFINISHED_JOBS: "2" }, plansWith({ maxInputMb: 250 }));
    expect((await post(server)).status).toBe(200);
    await removeAllJobs(server);
    before = await footprintAtRest(server);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  afterEach(() => expectUnharmed(server, before));

  it("on input size by conversion is enforced with or without ?from", async () => {
    const large: Upload = { to: "json", file: Buffer.alloc(9_000_000, "a: 1\n"), name: "a.yaml" };
    const row = { status: 413, code: "INPUT_TOO_LARGE", details: { limitMb: 8, limitedBy: "conversion" } };
    await expectRow(await post(server, large), row);
    await expectRow(await post(server, { ...large, query: "?from=yaml" }), row);
    await expectRow(await post(server, { ...large, headers: problem }), row);
  });

  it("on input size by plan is enforced from Content-Length, and for chunked bodies", async () => {
    const row = { status: 413, code: "INPUT_TOO_LARGE", details: { limitMb: 250, limitedBy: "plan" } };
    const client = await openRaw(Number(new URL(server.url).port));
    client.send(headOf(server.key, ["Content-Length: 251000000"]));
    const early = await client.answer();
    expect([early.status, JSON.parse(early.body).error]).toMatchObject([413, { code: row.code, details: row.details }]);
    client.socket.destroy();

    const [head, tail] = bodyOf([toPart("webp"), filePart(Buffer.from("|"))])
      .toString("latin1")
      .split("|");
    const piece = Buffer.alloc(1_000_000);
    const pieces = async function* () {
      yield Buffer.from(head ?? "");
      for (let count = 0; count < 251; count += 1) yield piece;
      yield Buffer.from(tail ?? "");
    };
    const [, type = ""] = /^content-type: (.*)$/im.exec(headOf(server.key, []).toString()) ?? [];
    const headers = { authorization: `Bearer ${server.key}`, "content-type": type };
    const init = { method: "POST", headers, body: ReadableStream.from(pieces()), duplex: "half" } as const;
    await expectRow(await fetch(`${server.url}/api/v1/convert`, init), row);
  });

  it("on unfinished jobs of an account is enforced", async () => {
    const { id } = await jobOf(await post(server, long));
    await expectRow(await call(server, `/api/v1/jobs/${id}/download`), { status: 409, code: "JOB_NOT_DONE" });
    const row = { status: 429, code: "TOO_MANY_JOBS", details: { limit: 1 } };
    for (const headers of [{}, problem, later]) {
      const refused = await post(server, { headers });
      expect(refused.headers.get("ratelimit-policy")).toBe('"convert";q=1000;w=60');
      expect(refused.headers.get("ratelimit")).toMatch(/^"convert";r=\d+;t=\d+$/);
      await expectRow(refused, row);
    }
    await end(server, id);
    await expectRow(await call(server, `/api/v1/jobs/${id}`), { status: 404, code: "JOB_NOT_FOUND" });
  });

  it("on unfinished jobs of the server is enforced", async () => {
    await using busy = await startServer({ MAX_UNFINISHED_JOBS: "1", OFFICE_SLOTS: "0" });
    const { id } = await jobOf(await post(busy, long));
    for (const headers of [{}, problem]) await expectRow(await post(busy, { headers }), { status: 503, code: "OVERLOADED" });
    await end(busy, id);
    await expect.poll(async () => (await post(busy)).status).toBe(200);
  });
});

it("a full rate limit is answered with 429 and does not affect existing jobs", async () => {
  await using server = await startServer({ OFFICE_SLOTS: "0", MEDIA_SLOTS: "0" }, plansWith({ requestsPerMinute: 3 }));
  const { id } = await jobOf(await post(server));
  let last = await post(server, { headers: problem });
  for (let count = 0; count < 3; count += 1) last = await post(server, { headers: problem });
  expect(last.headers.get("ratelimit-policy")).toBe('"convert";q=3;w=60');
  expect(last.headers.get("ratelimit")).toMatch(/^"convert";r=0;t=\d+$/);
  await expectRow(last, { status: 429, code: "RATE_LIMITED" });
  await expectRow(await post(server), { status: 429, code: "RATE_LIMITED" });
  expect((await jobIn(server, id)).status).toBe("done");
});

describe("a time limit", () => {
  it("of an engine is answered with 422 and the failed job, also if it was queued", async () => {
    await using server = await startServer({ CONVERSION_TIMEOUT_MS: "8000", OFFICE_SLOTS: "0", MEDIA_SLOTS: "0" });
    expect((await post(server)).status).toBe(200);
    await removeAllJobs(server);
    const before = await footprintAtRest(server);
    const row = { status: 422, code: "CONVERSION_TIMEOUT" };
    const queued = post(server, long);
    // In parallel, because each uses up its whole time limit.
    for (const answer of await Promise.all([{}, problem].map((headers) => post(server, { ...long, headers })))) {
      const { job } = await expectRow(answer, row);
      expect(job).toMatchObject({ status: "failed", download: null, error: { code: row.code } });
    }
    const { id } = await jobOf(await queued);
    await expect.poll(async () => (await jobIn(server, id)).error?.code, { timeout: 60_000 }).toBe(row.code);
    const reason = { status: 409, code: "JOB_FAILED", details: { reason: row.code } };
    await expectRow(await call(server, `/api/v1/jobs/${id}/download`), reason);
    await expectUnharmed(server, before);
  });

  it("of a job cancels it, which is reported like any other end", async () => {
    await using server = await startServer({ OFFICE_SLOTS: "0", MEDIA_SLOTS: "0" }, plansWith({ retentionSeconds: 5 }));
    const row = { status: 409, code: "JOB_CANCELLED" };
    const { job } = await expectRow(await post(server, { ...long, headers: {} }), row);
    expect(job).toMatchObject({ status: "cancelled", bytes: 0, download: null, status_url: null, queuePosition: null, error: null });
    await expectRow(await call(server, `/api/v1/jobs/${Object(job).id}/download`), row);
    await expect.poll(async () => (await footprintOf(server)).blobs).toBe(0);
    expect((await post(server)).status).toBe(200);
  });

  it("of a result is answered with 410 for seven days after expiry, then 404", async () => {
    await using server = await startServer({ OFFICE_SLOTS: "0", MEDIA_SLOTS: "0" }, plansWith({ retentionSeconds: 5 }));
    await using records = await openStoredRecords(server);
    const { id } = await jobOf(await post(server));
    const path = `/api/v1/jobs/${id}`;
    const download = () => call(server, `${path}/download`);
    await expect.poll(async () => (await download()).status).toBe(410);
    await expectRow(await download(), { status: 410, code: "RESULT_EXPIRED" });
    await expectRow(await call(server, `${path}/download`, { headers: problem }), { status: 410, code: "RESULT_EXPIRED" });
    await expect.poll(async () => (await footprintOf(server)).blobs).toBe(0);
    expect(await jobIn(server, id)).toMatchObject({ status: "expired", bytes: expect.any(Number), download: null, error: null });

    const age = (days: number) =>
      records.change(id, (record) => {
        if (record.job === undefined) throw new Error("a record without a job");
        return { ...record, job: { ...record.job, expiresAt: timestampFromMs(Date.now() - days * 86_400_000) } };
      });
    await age(6.99);
    await expect.poll(async () => (await (await call(server, path)).text()).includes('"expired"')).toBe(true);
    await expectRow(await download(), { status: 410, code: "RESULT_EXPIRED" });
    await age(7.01);
    await expect.poll(async () => (await download()).status).toBe(404);
    await expectRow(await download(), { status: 404, code: "JOB_NOT_FOUND" });
  });
});
