import { Readable } from "node:stream";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampNow } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FilemillError, toErrorMessage } from "#contract/errors.ts";
import { JobSchema, JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { png } from "#test/gateway/samples.ts";
import { auth, doneAtOnce, formOf, jsonOf, neverEnds, openStage, type Stage } from "#test/gateway/stage.ts";

const failure = new FilemillError("PASSWORD_REQUIRED", "The file is protected by a password.");

/** Adds a job in this state to the fake job service. */
function jobIn(stage: Stage, state: JobState, more: MessageInitShape<typeof JobSchema> = {}): string {
  const id = String(stage.jobs.size).padStart(26, "z");
  const job = create(JobSchema, { id, accountId: "account1", state, from: "png", to: "webp", sourceName: "a.png", ...more });
  job.createdAt = timestampNow();
  job.expiresAt = timestampNow();
  stage.jobs.set(id, job);
  return id;
}

describe("jobs", () => {
  let stage: Stage;
  let done: string;
  beforeAll(async () => {
    stage = await openStage();
    const answer = await fetch(`${stage.url}/api/v1/convert`, { method: "POST", headers: auth, body: formOf("webp", png) });
    done = (await jsonOf(answer)).job.id;
  });
  afterAll(() => stage[Symbol.asyncDispose]());
  const call = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(`${stage.url}/api/v1/jobs${path}`, { method, headers: { ...auth, ...headers } });

  it.each([
    [JobState.QUEUED, { queuePosition: 3, estimateMs: 1500 }, { status: "queued", queuePosition: 3, estimateMs: 1500 }],
    [JobState.RUNNING, { queuePosition: 0, estimateMs: 900 }, { status: "running", queuePosition: 0, estimateMs: 900 }],
    [
      JobState.FAILED,
      { durationMs: 5, error: toErrorMessage(failure) },
      { status: "failed", durationMs: 5, bytes: 0, error: { code: "PASSWORD_REQUIRED" } },
    ],
    [JobState.CANCELLED, { durationMs: 5 }, { status: "cancelled", durationMs: 5, error: null }],
    [JobState.EXPIRED, { durationMs: 5 }, { status: "expired", durationMs: 5, download: null }],
  ])("shows a job in state %i", async (state, more: MessageInitShape<typeof JobSchema>, shown) => {
    const id = jobIn(stage, state, more);
    const answer = await call(`/${id}`);
    const { job } = await jsonOf(answer);
    expect(job).toMatchObject({ ...shown, id, download: null });
    const unfinished = state === JobState.QUEUED || state === JobState.RUNNING;
    expect(job.status_url).toBe(unfinished ? `${stage.url}/api/v1/jobs/${id}` : null);
    expect(answer.headers.get("retry-after")).toBe(unfinished ? String(Math.ceil(job.estimateMs / 1000)) : null);
  });

  it.each([
    [JobState.QUEUED, {}, 409, "JOB_NOT_DONE", undefined],
    [JobState.FAILED, { error: toErrorMessage(failure) }, 409, "JOB_FAILED", { reason: "PASSWORD_REQUIRED" }],
    [JobState.CANCELLED, {}, 409, "JOB_CANCELLED", undefined],
    [JobState.EXPIRED, {}, 410, "RESULT_EXPIRED", undefined],
  ])("refuses to download a job in state %i", async (state, more: MessageInitShape<typeof JobSchema>, status, code, details) => {
    const answer = await call(`/${jobIn(stage, state, more)}/download`);
    const { error } = await jsonOf(answer);
    expect({ status: answer.status, code: error.code, details: error.details }).toEqual({ status, code, details });
  });

  it.each(["..%2f..%2fetc", "00000000000000000000000000%00", "zzz", "x".repeat(5000), "0000000000000000000000000*"])(
    "answers JOB_NOT_FOUND for %s",
    async (id) => {
      const answer = await call(`/${id}`);
      expect({ status: answer.status, code: (await jsonOf(answer)).error.code }).toEqual({ status: 404, code: "JOB_NOT_FOUND" });
    },
  );

  it("aborts a download at once if the stored file is shorter than recorded", async () => {
    const bytes = Buffer.alloc(2_000_000, 7);
    const blob = await stage.blobs.write(Readable.from([bytes]));
    const id = jobIn(stage, JobState.DONE, { result: { ...blob, sizeBytes: blob.sizeBytes + 1n } });
    const answer = await call(`/${id}/download`);
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow("terminated");
  }, 20_000);

  it("downloads whole, by range and conditionally", async () => {
    const whole = await call(`/${done}/download`);
    const etag = whole.headers.get("etag") ?? "";
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(bytes).toEqual(Buffer.from(png));
    const head = await call(`/${done}/download`, {}, "HEAD");
    expect(head.headers.get("content-length")).toBe(String(png.length));
    const expectPart = async (headers: Record<string, string>, status: number, range: string | null, content: Buffer) => {
      const answer = await call(`/${done}/download`, headers);
      expect({ status: answer.status, range: answer.headers.get("content-range") }).toEqual({ status, range });
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(content);
    };
    const size = png.length;
    await expectPart({ range: "bytes=1-3" }, 206, `bytes 1-3/${size}`, bytes.subarray(1, 4));
    await expectPart({ range: "bytes=-4" }, 206, `bytes ${size - 4}-${size - 1}/${size}`, bytes.subarray(-4));
    await expectPart({ range: "bytes=1-3", "if-range": etag }, 206, `bytes 1-3/${size}`, bytes.subarray(1, 4));
    await expectPart({ range: "bytes=1-3", "if-range": '"other"' }, 200, null, bytes);
    await expectPart({ range: "bytes=0-1,3-4" }, 200, null, bytes);
    const outside = await call(`/${done}/download`, { range: "bytes=9999-" });
    expect([outside.status, outside.headers.get("content-range")]).toEqual([416, `bytes */${size}`]);
    expect(outside.headers.get("content-type")).toBe("application/json");
    expect((await jsonOf(outside)).error).toMatchObject({ code: "BAD_REQUEST", requestId: outside.headers.get("x-request-id") });
    await expectPart({ "if-none-match": etag }, 304, null, Buffer.alloc(0));
    await expectPart({ "if-none-match": `W/${etag}, "x"` }, 304, null, Buffer.alloc(0));
  });

  it("answers RESULT_EXPIRED if the bytes are gone early", async () => {
    const zeros = "0".repeat(64);
    const id = jobIn(stage, JobState.DONE, { result: { id: `${zeros}-${"0".repeat(16)}`, digest: zeros, sizeBytes: 1n } });
    const answer = await call(`/${id}/download`);
    expect({ status: answer.status, code: (await jsonOf(answer)).error.code }).toEqual({ status: 410, code: "RESULT_EXPIRED" });
    expect(answer.headers.get("content-disposition")).toBeNull();
  });

  it("lists jobs and validates the query", async () => {
    const page = await jsonOf(await call("?limit=2"));
    expect(page).toMatchObject({ jobs: [{}, {}], nextCursor: "next" });
    for (const query of ["?limit=0", "?limit=101", "?limit=x", "?status=lost", "?page=2", "?cursor=%2e%2e%2f"]) {
      const answer = await call(query);
      expect({ query, status: answer.status, code: (await jsonOf(answer)).error.code }).toEqual({
        query,
        status: 400,
        code: "BAD_REQUEST",
      });
    }
  });

  it("deletes a job", async () => {
    const id = jobIn(stage, JobState.QUEUED);
    expect((await call(`/${id}`, {}, "DELETE")).status).toBe(204);
    expect((await call(`/${id}`, {}, "DELETE")).status).toBe(404);
  });

  it("does not accept a large body on DELETE", async () => {
    const answer = await fetch(`${stage.url}/api/v1/jobs/${done}`, { method: "DELETE", headers: auth, body: "{".repeat(100_000) });
    expect([400, 204]).toContain(answer.status);
  });
});

describe("following a job", () => {
  it("supports long polling and sends events until the job ends", async () => {
    await using stage = await openStage({
      script: async function* (job) {
        job.state = JobState.RUNNING;
        yield job;
        job.state = JobState.DONE;
        yield job;
      },
    });
    const asked = await fetch(`${stage.url}/api/v1/convert`, {
      method: "POST",
      headers: { ...auth, prefer: "respond-async" },
      body: formOf("webp", png),
    });
    const { id } = (await jsonOf(asked)).job;
    const events = await fetch(`${stage.url}/api/v1/jobs/${id}/events`, { headers: auth });
    expect(events.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(events.headers.get("x-request-id")).toBeTruthy();
    const text = await events.text();
    expect([...text.matchAll(/"status":"(\w+)"/g)].map((match) => match[1])).toEqual(["queued", "running", "done"]);
    expect(text).toContain("id: 1\nevent: job\ndata: {");
    expect((await fetch(`${stage.url}/api/v1/jobs/${"0".repeat(25)}9/events`, { headers: auth })).status).toBe(404);
    const held = await fetch(`${stage.url}/api/v1/jobs/${id}`, { headers: { ...auth, prefer: "wait=5" } });
    expect(held.headers.get("preference-applied")).toBe("wait=5");
    expect((await jsonOf(held)).job.status).toBe("done");
  });

  it("closes event streams when the gateway drains, and answers waiting requests with 202", async () => {
    await using stage = await openStage({ script: neverEnds });
    const waiting = fetch(`${stage.url}/api/v1/convert`, { method: "POST", headers: auth, body: formOf("webp", png) });
    await expect.poll(() => stage.created.length).toBe(1);
    const events = await fetch(`${stage.url}/api/v1/jobs/${"0".repeat(26)}/events`, { headers: auth });
    await stage.gateway.drain(AbortSignal.timeout(200));
    expect((await waiting).status).toBe(202);
    expect(await events.text()).toContain("event: job");
  });

  it("lets a conversion finish while the gateway drains", async () => {
    const end = Promise.withResolvers<void>();
    await using stage = await openStage({
      script: async function* (job) {
        await end.promise;
        yield* doneAtOnce(job);
      },
    });
    const waiting = fetch(`${stage.url}/api/v1/convert`, { method: "POST", headers: auth, body: formOf("webp", png) });
    await expect.poll(() => stage.created.length).toBe(1);
    const drained = stage.gateway.drain(AbortSignal.timeout(20_000));
    end.resolve();
    expect((await waiting).status).toBe(200);
    await drained;
  });
});
