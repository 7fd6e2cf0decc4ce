/** Every row of the contract's error table, against the whole product and through REST alone. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "#test/harness/cli.ts";
import { lockedPdf, silence, vastPng } from "#test/harness/hostile-files.ts";
import { startServer, type TestServer } from "#test/harness/server.ts";

/** The smallest PNG: one transparent pixel. */
const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==", "base64");

type Row = { readonly status: number; readonly code: string; readonly details?: object };
type Upload = {
  to?: string;
  file?: Uint8Array<ArrayBuffer>;
  name?: string;
  query?: string;
  headers?: Record<string, string>;
  extra?: string;
};

function post(
  server: TestServer,
  { to = "webp", file = png, name = "a.png", query = "", headers = {}, extra }: Upload = {},
): Promise<Response> {
  const form = new FormData();
  if (to !== "") form.append("to", to);
  if (file.length > 0 || name !== "") form.append("file", new File([file], name));
  if (extra !== undefined) form.append(extra, "x");
  return fetch(`${server.url}/api/v1/convert${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.key}`, ...headers },
    body: form,
  });
}

function get(server: TestServer, path: string, key = server.key): Promise<Response> {
  return fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } });
}

async function expectRow(answer: Response, { status, code, details }: Row): Promise<void> {
  const body = JSON.parse(await answer.text());
  expect({ status: answer.status, code: body.error?.code }).toEqual({ status, code });
  expect(body.error).toMatchObject({ message: expect.stringMatching(/\.$/), requestId: answer.headers.get("x-request-id") });
  expect(body.error.message).not.toMatch(/\/tmp|\/home|node_modules|\bat \w+ \(/);
  if (details !== undefined) expect(body.error.details).toMatchObject(details);
}

async function jobOf(answer: Response): Promise<{ id: string; status: string }> {
  return JSON.parse(await answer.text()).job;
}

describe("the error table", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());
  afterEach(async () => {
    // Whatever was sent, the next conversion works and no scratch folder or half a file is left.
    expect((await post(server)).status).toBe(200);
    expect(await readdir(join(server.dataDir, "blobs", "partial"))).toEqual([]);
  });

  const cut = vastPng(64).subarray(0, 40);
  it.each<[string, Upload, Row]>([
    ["a parameter twice", { query: "?quality=1&quality=2" }, { status: 400, code: "BAD_REQUEST" }],
    ["no to", { to: "" }, { status: 400, code: "MISSING_FIELD", details: { field: "to" } }],
    ["no file", { file: Buffer.alloc(0), name: "" }, { status: 400, code: "MISSING_FIELD", details: { field: "file" } }],
    ["another field", { extra: "quality" }, { status: 400, code: "UNEXPECTED_FIELD", details: { field: "quality" } }],
    ["to twice", { extra: "to" }, { status: 400, code: "UNEXPECTED_FIELD", details: { field: "to" } }],
    ["an unknown option", { query: "?bogus=1" }, { status: 400, code: "INVALID_OPTION", details: { option: "bogus" } }],
    ["an option out of range", { query: "?quality=101" }, { status: 400, code: "INVALID_OPTION", details: { option: "quality" } }],
    ["an unknown key", { headers: { authorization: "Bearer fm_unknown" } }, { status: 401, code: "INVALID_API_KEY" }],
    ["unknown content", { file: Buffer.from([0, 1, 2, 255]), name: "what" }, { status: 415, code: "UNKNOWN_SOURCE_FORMAT" }],
    ["an unknown target", { to: "nothing" }, { status: 422, code: "UNSUPPORTED_TARGET", details: { to: "nothing" } }],
    ["a target with a path", { to: "../../etc" }, { status: 422, code: "UNSUPPORTED_TARGET" }],
    [
      "no route",
      { to: "mp3" },
      { status: 422, code: "UNSUPPORTED_CONVERSION", details: { from: "png", to: "mp3", alternatives: expect.any(Array) } },
    ],
    ["an empty file", { file: Buffer.alloc(0) }, { status: 422, code: "INVALID_INPUT" }],
    ["a truncated file", { file: cut }, { status: 422, code: "INVALID_INPUT" }],
    ["a mislabelled file", { file: Buffer.from("plain text, no picture"), query: "?from=png" }, { status: 422, code: "INVALID_INPUT" }],
    ["a password", { to: "txt", file: lockedPdf(), name: "a.pdf" }, { status: 422, code: "PASSWORD_REQUIRED" }],
    ["vast dimensions", { file: vastPng(60_000) }, { status: 422, code: "INPUT_TOO_COMPLEX" }],
    ["a malformed idempotency key", { headers: { "idempotency-key": "a b" } }, { status: 400, code: "BAD_REQUEST" }],
  ])("answers %s", async (_name, upload, row) => {
    await expectRow(await post(server, upload), row);
  });

  it("answers a cut-off body, another media type and no key", async () => {
    const call = (headers: Record<string, string>, body: string) =>
      fetch(`${server.url}/api/v1/convert`, { method: "POST", headers, body });
    const authorization = `Bearer ${server.key}`;
    const cutOff = '--XX\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nabc';
    await expectRow(await call({ authorization, "content-type": "multipart/form-data; boundary=XX" }, cutOff), {
      status: 400,
      code: "BAD_REQUEST",
    });
    await expectRow(await call({ authorization, "content-type": "application/json" }, "{}"), {
      status: 415,
      code: "UNSUPPORTED_MEDIA_TYPE",
    });
    const none = await call({}, "x");
    expect(none.headers.get("www-authenticate")).toMatch(/^Bearer\b/);
    await expectRow(none, { status: 401, code: "MISSING_API_KEY" });
  });

  it("answers for unknown paths, jobs and methods", async () => {
    await expectRow(await get(server, "/api/v1/nothing"), { status: 404, code: "NOT_FOUND" });
    await expectRow(await get(server, `/api/v1/jobs/${"0".repeat(26)}`), { status: 404, code: "JOB_NOT_FOUND" });
    await expectRow(await get(server, "/api/v1/jobs/..%2f..%2fx"), { status: 404, code: "JOB_NOT_FOUND" });
    const wrong = await get(server, "/api/v1/convert");
    expect(wrong.headers.get("allow")).toBe("POST");
    await expectRow(wrong, { status: 405, code: "METHOD_NOT_ALLOWED" });
  });

  it("answers the download of a failed job with its reason", async () => {
    const failed = await jobOf(await post(server, { file: cut }));
    expect(failed.status).toBe("failed");
    await expectRow(await get(server, `/api/v1/jobs/${failed.id}/download`), {
      status: 409,
      code: "JOB_FAILED",
      details: { reason: "INVALID_INPUT" },
    });
  });

  it("answers an idempotency key with another request", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await jobOf(await post(server, { headers }));
    const again = await post(server, { headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await jobOf(again)).id).toBe(first.id);
    await expectRow(await post(server, { headers, to: "jpg" }), { status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
  });

  it("keeps one account's jobs from another, and a revoked key and a free plan out", async () => {
    const { id } = await jobOf(await post(server));
    await runCli(server, ["accounts", "create", "other@example.org", "--plan", "plus"]);
    const other = (await runCli(server, ["keys", "create", "other@example.org"])).trim();
    await expectRow(await get(server, `/api/v1/jobs/${id}`, other), { status: 404, code: "JOB_NOT_FOUND" });
    const { keyId } =
      /(?<keyId>\S+)/.exec((await runCli(server, ["keys", "list", "other@example.org"])).split("\n").at(-2) ?? "")?.groups ?? {};
    await runCli(server, ["keys", "revoke", keyId ?? ""]);
    await expect.poll(async () => (await get(server, "/api/v1/jobs", other)).status, { timeout: 1500 }).toBe(401);
    await expectRow(await get(server, "/api/v1/jobs", other), { status: 401, code: "API_KEY_REVOKED" });
    await runCli(server, ["accounts", "create", "free@example.org", "--plan", "free"]);
    const free = (await runCli(server, ["keys", "create", "free@example.org"])).trim();
    await expectRow(await get(server, "/api/v1/jobs", free), { status: 403, code: "NOT_ENTITLED" });
  });
});

describe("limits", () => {
  let server: TestServer;
  beforeAll(async () => {
    const plus = { apiAccess: true, maxInputMb: 30, requestsPerMinute: 8, maxUnfinishedJobs: 1, retentionSeconds: 1 };
    const free = { ...plus, apiAccess: false };
    server = await startServer({}, { free, plus });
  });
  afterAll(() => server[Symbol.asyncDispose]());
  const slow: Upload = { to: "flac", file: silence(25_000_000), name: "a.wav", headers: { prefer: "respond-async" } };

  it("bounds size, unfinished jobs and requests, and forgets results", async () => {
    await expectRow(await post(server, { file: Buffer.alloc(31_000_000) }), {
      status: 413,
      code: "INPUT_TOO_LARGE",
      details: { limitMb: 30, limitedBy: "plan" },
    });
    const done = await jobOf(await post(server));
    const queued = await post(server, slow);
    expect(queued.status).toBe(202);
    const { id } = await jobOf(queued);
    await expectRow(await get(server, `/api/v1/jobs/${id}/download`), { status: 409, code: "JOB_NOT_DONE" });
    const tooMany = await post(server);
    expect(tooMany.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectRow(tooMany, { status: 429, code: "TOO_MANY_JOBS", details: { limit: 1 } });
    await expect
      .poll(async () => (await get(server, `/api/v1/jobs/${done.id}/download`)).status, { timeout: 30_000, interval: 500 })
      .toBe(410);
    await expectRow(await get(server, `/api/v1/jobs/${done.id}/download`), { status: 410, code: "RESULT_EXPIRED" });
    let last = await post(server);
    for (let count = 0; count < 8; count++) last = await post(server);
    expect(last.headers.get("ratelimit-policy")).toBe('"convert";q=8;w=60');
    expect(last.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectRow(last, { status: 429, code: "RATE_LIMITED" });
  });

  it("answers 503 while the queue is full, and ends what runs too long", async () => {
    await using busy = await startServer({ MAX_UNFINISHED_JOBS: "1", CONVERSION_TIMEOUT_MS: "1000" });
    const long = await post(busy, { to: "mp3", file: silence(200_000_000), name: "a.wav", headers: { prefer: "respond-async" } });
    const { id } = await jobOf(long);
    const full = await post(busy);
    expect(full.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectRow(full, { status: 503, code: "OVERLOADED" });
    const errorOf = async () => JSON.parse(await (await get(busy, `/api/v1/jobs/${id}`)).text()).job.error?.code;
    await expect.poll(errorOf, { timeout: 60_000, interval: 500 }).toBe("CONVERSION_TIMEOUT");
  });

  it("answers 503 while the disk is nearly full", async () => {
    await using full = await startServer({ MIN_FREE_DISK_MB: "1000000" });
    const answer = await post(full);
    expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
    await expectRow(answer, { status: 503, code: "UNAVAILABLE" });
  });
});
