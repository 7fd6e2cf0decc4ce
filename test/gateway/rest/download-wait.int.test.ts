/** `download=wait`: a single call that returns the bytes, however long the conversion takes. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { JobState } from "#gen/filemill/job/v1/job_pb.ts";
import { png } from "#test/gateway/samples.ts";
import { auth, doneAtOnce, failsWith, formOf, jsonOf, neverEnds, openStage, type Script, type Stage } from "#test/gateway/stage.ts";

function convert(stage: Stage, init: RequestInit = {}, query = "?download=wait", to = "webp") {
  return fetch(`${stage.url}/api/v1/convert${query}`, {
    method: "POST",
    body: formOf(to, png),
    ...init,
    headers: { ...auth, ...init.headers },
  });
}

/** Continues with `end` once `told` resolves. */
function heldUntil(told: Promise<void>, end: Script): Script {
  return async function* (job, request) {
    await told;
    yield* end(job, request);
  };
}

describe("a conversion that finishes in time", () => {
  it("returns its bytes, or the reason why there are none", async () => {
    await using stage = await openStage();
    const answer = await convert(stage, { redirect: "error" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
    await using failing = await openStage({ script: failsWith(new FilemillError("INVALID_INPUT", "The picture is cut off.")) });
    const refusal = await convert(failing, { redirect: "error" });
    expect([refusal.status, refusal.headers.get("x-error")]).toEqual([422, "INVALID_INPUT: The picture is cut off."]);
  });
});

describe("a slow conversion", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ script: neverEnds, settings: { INLINE_WAIT_MS: 1 } });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it("is made durable and redirected to its result by a relative URL that works behind any proxy", async () => {
    const answer = await convert(stage, { redirect: "manual" });
    const [id = ""] = [...stage.jobs.keys()].slice(-1);
    expect([answer.status, answer.headers.get("location"), await answer.text()]).toEqual([303, `jobs/${id}/download?wait=1`, ""]);
    expect(stage.persisted).toContain(id);
  });

  it("is redirected at once if the route is async or the client asks for respond-async", async () => {
    expect((await convert(stage, { redirect: "manual" }, "?download=wait", "webm")).status).toBe(303);
    expect((await convert(stage, { redirect: "manual", headers: { prefer: "respond-async" } })).status).toBe(303);
  });

  it("is answered with 202 and the job for download=1", async () => {
    const answer = await convert(stage, { redirect: "error" }, "?download=1");
    expect([answer.status, (await jsonOf(answer)).job.status]).toEqual([202, "queued"]);
  });

  it.each(["GET", "HEAD"])("has %s of its unfinished result redirected to itself", async (method) => {
    const [id = ""] = [...stage.jobs.keys()];
    const url = `${stage.url}/api/v1/jobs/${id}/download`;
    const headers = { ...auth, prefer: "wait=0" };
    const answer = await fetch(`${url}?wait=1`, { method, headers, redirect: "manual" });
    expect([answer.status, answer.headers.get("location")]).toEqual([307, "download?wait=1"]);
    const plain = await fetch(url, { method, headers });
    expect([plain.status, plain.headers.get("x-error")]).toEqual([409, expect.stringMatching(/^JOB_NOT_DONE: /)]);
    expect((await fetch(`${url}?wait=1`, { method, redirect: "manual" })).status).toBe(401);
  });
});

it("a client that follows redirects receives the bytes once the job is done", async () => {
  const told = Promise.withResolvers<void>();
  await using stage = await openStage({ script: heldUntil(told.promise, doneAtOnce), settings: { INLINE_WAIT_MS: 1 } });
  const answering = convert(stage);
  await expect.poll(() => stage.persisted).toHaveLength(1);
  told.resolve();
  const answer = await answering;
  expect([answer.status, answer.redirected, Buffer.from(await answer.arrayBuffer())]).toEqual([200, true, Buffer.from(png)]);
});

it("a client that follows redirects receives the error if the job fails", async () => {
  const told = Promise.withResolvers<void>();
  const failing = failsWith(new FilemillError("INVALID_INPUT", "The picture is cut off."));
  await using stage = await openStage({ script: heldUntil(told.promise, failing), settings: { INLINE_WAIT_MS: 1 } });
  const answering = convert(stage);
  await expect.poll(() => stage.persisted).toHaveLength(1);
  told.resolve();
  const answer = await answering;
  expect(answer.status).toBe(409);
  expect(await jsonOf(answer)).toMatchObject({ error: { code: "JOB_FAILED", details: { reason: "INVALID_INPUT" } } });
});

it("a waiting download gets 503 instead of another redirect while the gateway drains", async () => {
  await using stage = await openStage({ script: neverEnds, settings: { INLINE_WAIT_MS: 1 } });
  await convert(stage, { redirect: "manual" });
  const [[id, job] = ["", undefined]] = [...stage.jobs];
  expect(job?.state).toBe(JobState.QUEUED);
  const waiting = fetch(`${stage.url}/api/v1/jobs/${id}/download?wait=1`, { headers: auth, redirect: "manual" });
  // It delays the drain until it is answered.
  await expect.poll(async () => (await fetch(`${stage.url}/metrics`)).text()).toMatch(/filemill_http_requests_running 2/);
  await stage.gateway.drain(AbortSignal.timeout(10_000));
  expect([(await waiting).status, (await waiting).headers.get("retry-after")]).toEqual([503, "5"]);
});
