import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FilemillError } from "#contract/errors.ts";
import { bodyOf, filePart, headOf, openRaw, toPart } from "#test/gateway/raw-client.ts";
import { png } from "#test/gateway/samples.ts";
import { auth, failsWith, formOf, jsonOf, key, neverEnds, openStage, type Stage } from "#test/gateway/stage.ts";

const fieldsInOrder = [
  "id",
  "status",
  "from",
  "to",
  "bytes",
  "durationMs",
  "notes",
  "expiresAt",
  "download",
  "status_url",
  "queuePosition",
  "estimateMs",
  "error",
  "createdAt",
];

function convert(stage: Stage, query = "", headers: Record<string, string> = {}, form = formOf("webp", png)) {
  return fetch(`${stage.url}/api/v1/convert${query}`, { method: "POST", headers: { ...auth, ...headers }, body: form });
}

describe("POST /convert with a conversion that finishes in time", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it("returns the job with its fields in the documented order", async () => {
    const answer = await convert(stage, "?quality=80&width=640", {}, formOf("WEBP", png));
    expect(answer.status).toBe(200);
    const { job } = JSON.parse(await answer.text());
    expect(Object.keys(job)).toEqual(fieldsInOrder);
    expect(job).toMatchObject({ status: "done", from: "png", to: "webp", bytes: png.length, notes: [], status_url: null });
    expect(job).toMatchObject({
      download: `${stage.url}/api/v1/jobs/${job.id}/download`,
      queuePosition: null,
      estimateMs: null,
      error: null,
    });
    expect(stage.created.at(-1)).toMatchObject({ options: { quality: "80", width: "640" }, planMaxInputMb: 5, durable: false });
  });

  it("trusts the content over the file name and adds a note", async () => {
    const answer = await convert(stage, "", {}, formOf("webp", png, "photo.docx"));
    expect((await jsonOf(answer)).job).toMatchObject({ from: "png", notes: [{ code: "CONTENT_TYPE_CORRECTED" }] });
  });

  it("trusts `from` over the content", async () => {
    expect((await jsonOf(await convert(stage, "?from=JPEG"))).job).toMatchObject({ from: "jpg", notes: [] });
  });

  it("returns the bytes if download=1 is set", async () => {
    const answer = await convert(stage, "?download=1", {}, formOf("webp", png, "Grüße \u202e\r\n 世界.docx"));
    expect(answer.status).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(Buffer.from(png));
    const digest = stage.created.at(-1)?.input?.digest ?? "";
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/webp",
      "content-length": String(png.length),
      etag: `"${digest}"`,
      "repr-digest": `sha-256=:${Buffer.from(digest, "hex").toString("base64")}:`,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; sandbox",
      "cache-control": "private",
      "x-duration-ms": "7",
    });
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="Gr.*\.webp"; filename\*=UTF-8''Gr%C3%BC%C3%9Fe/);
    expect(JSON.parse(answer.headers.get("x-notes") ?? "[]")).toMatchObject([{ code: "CONTENT_TYPE_CORRECTED" }]);
  });

  it("returns the first job for a repeated Idempotency-Key and keeps one input", async () => {
    const before = (await stage.stored()).length;
    const first = await convert(stage, "", { "idempotency-key": "abc" });
    const second = await convert(stage, "", { "idempotency-key": "abc" });
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect((await jsonOf(second)).job.id).toBe((await jsonOf(first)).job.id);
    expect(await stage.stored()).toHaveLength(before + 1);
  });

  it.each(["a b", "é", '"8e03978e-40d5-43dd-bc93-6894a57f9324"', "x".repeat(255)])("accepts the Idempotency-Key %j", async (key) => {
    expect((await convert(stage, "", { "idempotency-key": key })).status).toBe(200);
    expect((await convert(stage, "", { "idempotency-key": key })).headers.get("idempotent-replayed")).toBe("true");
  });

  it("rejects two Idempotency-Key headers, of which a proxy might read the other", async () => {
    const client = await openRaw(stage.port);
    const body = bodyOf([toPart("webp"), filePart(png)]);
    client.send(
      Buffer.concat([Buffer.from(headOf(key, ["Idempotency-Key: a", "Idempotency-Key: b", `Content-Length: ${body.length}`])), body]),
    );
    expect(await client.answer()).toMatchObject({ status: 400, body: expect.stringContaining("Idempotency-Key") });
    client.socket.destroy();
  });

  it.each([
    ["?a=1&a=2", {}, 400, "BAD_REQUEST"],
    ["?a[b]=1", {}, 400, "BAD_REQUEST"],
    ["?a=%ff", {}, 400, "BAD_REQUEST"],
    ["?download=yes", {}, 400, "BAD_REQUEST"],
    ["?from=nothing", {}, 415, "UNKNOWN_SOURCE_FORMAT"],
    ["", { "idempotency-key": "" }, 400, "BAD_REQUEST"],
    ["", { "idempotency-key": "x".repeat(256) }, 400, "BAD_REQUEST"],
  ])("rejects %s %o", async (query, headers: Record<string, string>, status, code) => {
    const answer = await convert(stage, query, headers);
    expect({ status: answer.status, body: await jsonOf(answer) }).toMatchObject({ status, body: { error: { code } } });
  });
});

it("answers 202 at once if the estimate exceeds twice the maximum wait", async () => {
  await using stage = await openStage({ script: neverEnds, settings: { INLINE_WAIT_MS: 60_000 }, estimateMs: 121_000 });
  const answer = await convert(stage);
  const { job } = await jsonOf(answer);
  expect([answer.status, answer.headers.get("preference-applied")]).toEqual([202, null]);
  expect(stage.persisted).toContain(job.id);
});

describe("a conversion that does not finish in time", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ script: neverEnds, settings: { INLINE_WAIT_MS: 100 } });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it.each([
    ["after INLINE_WAIT_MS", {}, null, false],
    ["after Prefer: wait=0", { prefer: "wait=0" }, "wait=0", false],
    ["after INLINE_WAIT_MS even if a longer wait was requested", { prefer: "wait=60" }, null, false],
    ["at once for respond-async", { prefer: "respond-async" }, "respond-async", true],
  ])("is answered with 202 %s", async (_name, headers: Record<string, string>, applied, durable) => {
    const answer = await convert(stage, "?download=1", headers);
    const { job } = await jsonOf(answer);
    expect(answer.status).toBe(202);
    expect(answer.headers.get("location")).toBe(job.status_url);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(answer.headers.get("preference-applied")).toBe(applied);
    expect(job).toMatchObject({ status: "queued", bytes: 0, durationMs: 0, notes: [], download: null, queuePosition: 1, error: null });
    expect(stage.created.at(-1)?.durable).toBe(durable);
    // A timed-out wait is a promise too: what CreateJob did not persist is persisted before the answer.
    expect(stage.persisted.includes(job.id)).toBe(!durable);
  });

  it("is persisted before the answer if it is a replay", async () => {
    const headers = { prefer: "respond-async", "idempotency-key": "promised-twice" };
    await convert(stage, "", headers);
    const { job } = await jsonOf(await convert(stage, "", headers));
    expect(stage.persisted).toContain(job.id);
  });

  it("is queued durably for an async route once the catalogue is known", async () => {
    await fetch(`${stage.url}/api/v1/formats`);
    expect((await convert(stage, "", {}, formOf("webm", png))).status).toBe(202);
    expect(stage.created.at(-1)?.durable).toBe(true);
  });

  it("continues if the client disconnects after its upload", async () => {
    const before = stage.created.length;
    const body = bodyOf([toPart("webp"), filePart(png)]);
    const client = await openRaw(stage.port);
    client.send(Buffer.concat([Buffer.from(headOf(key, [`Content-Length: ${body.length}`])), body]));
    await expect.poll(() => stage.created.length).toBe(before + 1);
    client.socket.resetAndDestroy();
    await once(client.socket, "close");
    expect(await stage.stored()).toContain(stage.created.at(-1)?.input?.id);
  });
});

describe("Prefer: respond-async", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({ endsAtOnce: true });
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it.each([
    ["alone", "", {}],
    ["with download=1", "?download=1", {}],
    ["with wait=0", "", { prefer: "respond-async, wait=0" }],
    ["with wait=5", "", { prefer: "wait=5, respond-async" }],
    ["with an idempotency key", "", { "idempotency-key": "at-once" }],
  ])("%s answers 202 with a status URL even if the job has already finished", async (_name, query, extra) => {
    const answer = await convert(stage, query, { prefer: "respond-async", ...extra });
    const { job } = await jsonOf(answer);
    expect({ status: answer.status, location: answer.headers.get("location") }).toEqual({ status: 202, location: job.status_url });
    expect(job).toMatchObject({ status: "queued", bytes: 0, durationMs: 0, download: null, queuePosition: 1, error: null });
    expect(answer.headers.get("retry-after")).toBe("1");
  });

  it("answers 202 for a replay too, with the job's current state", async () => {
    const headers = { "idempotency-key": "replayed" };
    expect((await convert(stage, "", headers)).status).toBe(200);
    const again = await convert(stage, "?download=1", { ...headers, prefer: "respond-async" });
    const { job } = await jsonOf(again);
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([202, "true"]);
    expect(job.status).toBe("done");
    expect(again.headers.get("location")).toBe(`${stage.url}/api/v1/jobs/${job.id}`);
  });

  it("is implied by an async route, except for the replay of a finished job", async () => {
    const headers = { "idempotency-key": "film" };
    const first = await convert(stage, "", { ...headers, prefer: "wait=5" }, formOf("webm", png));
    expect(first.headers.get("preference-applied")).toBeNull();
    expect([first.status, (await jsonOf(first)).job.status]).toEqual([202, "queued"]);
    expect((await convert(stage, "", headers, formOf("webm", png))).status).toBe(200);
  });
});

describe("a failed conversion", () => {
  it("returns the error and the failed job, also as problem+json", async () => {
    await using stage = await openStage({ script: failsWith(new FilemillError("INVALID_INPUT", "The picture is cut off.")) });
    const plain = await convert(stage);
    expect(plain.status).toBe(422);
    expect(await jsonOf(plain)).toMatchObject({
      error: { code: "INVALID_INPUT", message: "The picture is cut off.", requestId: plain.headers.get("x-request-id") },
      job: { status: "failed", error: { code: "INVALID_INPUT", message: "The picture is cut off." } },
    });
    const problem = await convert(stage, "", { accept: "application/problem+json" });
    expect(problem.headers.get("content-type")).toBe("application/problem+json");
    expect(await jsonOf(problem)).toMatchObject({
      type: "/docs/errors#INVALID_INPUT",
      title: "Unprocessable Entity",
      status: 422,
      detail: "The picture is cut off.",
      instance: "/api/v1/convert",
      code: "INVALID_INPUT",
      job: { status: "failed" },
    });
  });

  it("is answered with 422 whatever the cause", async () => {
    await using stage = await openStage({ script: failsWith(new FilemillError("UNAVAILABLE", "The disk is full.")) });
    const answer = await convert(stage);
    expect({ status: answer.status, body: await jsonOf(answer) }).toMatchObject({
      status: 422,
      body: { error: { code: "UNAVAILABLE" }, job: { status: "failed", error: { code: "UNAVAILABLE" } } },
    });
  });

  it("is INVALID_INPUT only if the file name claims a format that the content does not match", async () => {
    await using stage = await openStage();
    const answer = await convert(stage, "", {}, formOf("webp", new Uint8Array([0, 1, 2, 255]), "photo.png"));
    expect({ status: answer.status, body: await jsonOf(answer) }).toMatchObject({
      status: 422,
      body: { error: { code: "INVALID_INPUT" } },
    });
    const nameless = await convert(stage, "", {}, formOf("webp", new Uint8Array([0, 1, 2, 255]), "photo"));
    expect({ status: nameless.status, body: await jsonOf(nameless) }).toMatchObject({
      status: 415,
      body: { error: { code: "UNKNOWN_SOURCE_FORMAT" } },
    });
    expect(await stage.stored()).toEqual([]);
  });

  it("leaves no input behind if the job is refused", async () => {
    const refusal = new FilemillError("TOO_MANY_JOBS", "Wait for one to end.", { details: { limit: 20 }, retryAfterMs: 4200 });
    await using stage = await openStage({ refuse: () => refusal });
    const answer = await convert(stage);
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("5");
    expect((await jsonOf(answer)).error).toMatchObject({ code: "TOO_MANY_JOBS", details: { limit: 20 } });
    expect(await stage.stored()).toEqual([]);
  });
});
