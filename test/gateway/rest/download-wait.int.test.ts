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

/** Ends when told to. */
function heldUntil(told: Promise<void>, end: Script): Script {
  return async function* (job, request) {
    await told;
    yield* end(job, request);
  };
}

describe("a conversion that ends in time", () => {
  it("is answered with its bytes, or with why there are none", async () => {
    await using stage = await openStage();
    const answer = await convert(stage, { redirect: "error" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/webp"]);
    await using failing = await openStage({ script: failsWith(new FilemillError("INVALID_INPUT", "The picture is cut off.")) });
    const refusal = await convert(failing, { redirect: "error" });
    expect([refusal.status, refusal.headers.get("x-error")]).toEqual([422, "INVALID_INPUT: The picture is cut off."]);
  });
});

describe("a conversion that takes longer", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ script: neverEnds, settings: { INLINE_WAIT_MS: 1 } });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it("is answered by a redirect to its result, which any proxy in front leaves right, after the job was made durable", async () => {
    const answer = await convert(stage, { redirect: "manual" });
    const [id = ""] = [...stage.jobs.keys()].slice(-1);
    expect([answer.status, answer.headers.get("location"), await answer.text()]).toEqual([303, `jobs/${id}/download?wait=1`, ""]);
    expect(stage.persisted).toContain(id);
  });

  it("is answered so at once where it is always queued, or asked to be", async () => {
    expect((await convert(stage, { redirect: "manual" }, "?download=wait", "webm")).status).toBe(303);
    expect((await convert(stage, { redirect: "manual", headers: { prefer: "respond-async" } })).status).toBe(303);
  });

  it("is answered 202 with the job for download=1, as the specification says", async () => {
    const answer = await convert(stage, { redirect: "error" }, "?download=1");
    expect([answer.status, (await jsonOf(answer)).job.status]).toEqual([202, "queued"]);
  });

  it.each(["GET", "HEAD"])("has %s of its result go round while there is none", async (method) => {
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

it("whoever follows redirects gets the bytes when they are there", async () => {
  const told = Promise.withResolvers<void>();
  await using stage = await openStage({ script: heldUntil(told.promise, doneAtOnce), settings: { INLINE_WAIT_MS: 1 } });
  const answering = convert(stage);
  await expect.poll(() => stage.persisted).toHaveLength(1);
  told.resolve();
  const answer = await answering;
  expect([answer.status, answer.redirected, Buffer.from(await answer.arrayBuffer())]).toEqual([200, true, Buffer.from(png)]);
});

it("whoever follows redirects is told why there are none", async () => {
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

it("nobody is sent round by a service that is about to restart", async () => {
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
