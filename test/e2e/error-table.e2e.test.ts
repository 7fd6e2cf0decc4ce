/** Every row of the contract's error table caused by a bad request or file, against the whole product over REST only. */
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { bodyOf, filePart, headOf, openRaw, toPart } from "#test/gateway/raw-client.ts";
import { runCli } from "#test/harness/cli.ts";
import { expectUnharmed, type Footprint, footprintAtRest } from "#test/harness/footprint.ts";
import { lockedPdf, vastPng } from "#test/harness/hostile-files.ts";
import { opened } from "#test/harness/opened.ts";
import { call, expectRow, jobOf, pixel, post, type Row, removeAllJobs, type Upload } from "#test/harness/rest.ts";
import { startServer } from "#test/harness/server.ts";

const server = opened(() => startServer({ OFFICE_SLOTS: "0", MEDIA_SLOTS: "0", IMAGE_SLOTS: "1" }));
let before: Footprint;
beforeAll(async () => {
  // Warms up every engine that stays warm after its first use.
  for (const upload of [{}, { to: "xlsb", file: Buffer.from("name\nx\n"), name: "a.csv" }])
    expect((await post(server, upload)).status).toBe(200);
  await removeAllJobs(server);
  before = await footprintAtRest(server);
});
afterEach(() => expectUnharmed(server, before));

const cut = vastPng(64).subarray(0, 40);
/** TOML requires named values. */
const nameless = Buffer.from('"x"');
/** Exceeds the length of a workbook cell. */
const longCell = Buffer.from(`name\n${"x".repeat(40_000)}\n`);

const requests: readonly [string, Upload, Row][] = [
  ["a repeated parameter", { query: "?quality=1&quality=2" }, { status: 400, code: "BAD_REQUEST" }],
  ["no to", { to: "" }, { status: 400, code: "MISSING_FIELD", details: { field: "to" } }],
  ["no file", { file: Buffer.alloc(0), name: "" }, { status: 400, code: "MISSING_FIELD", details: { field: "file" } }],
  ["an unexpected field", { extra: "quality" }, { status: 400, code: "UNEXPECTED_FIELD", details: { field: "quality" } }],
  ["a repeated to", { extra: "to" }, { status: 400, code: "UNEXPECTED_FIELD", details: { field: "to" } }],
  [
    "an unknown option",
    { query: "?bogus=1" },
    { status: 400, code: "INVALID_OPTION", details: { option: "bogus", allowed: expect.anything() } },
  ],
  [
    "an option out of range",
    { query: "?quality=101" },
    { status: 400, code: "INVALID_OPTION", details: { option: "quality", allowed: expect.anything() } },
  ],
  ["an unknown key", { headers: { authorization: "Bearer fm_unknown" } }, { status: 401, code: "INVALID_API_KEY" }],
  ["unknown content", { file: Buffer.from([0, 1, 2, 255]), name: "what" }, { status: 415, code: "UNKNOWN_SOURCE_FORMAT" }],
  ["an unknown target", { to: "nothing" }, { status: 422, code: "UNSUPPORTED_TARGET", details: { to: "nothing" } }],
  ["a target with a path", { to: "../../etc" }, { status: 422, code: "UNSUPPORTED_TARGET" }],
  [
    "no route",
    { to: "csv" },
    { status: 422, code: "UNSUPPORTED_CONVERSION", details: { from: "png", to: "csv", alternatives: expect.arrayContaining(["jpg"]) } },
  ],
  ["an empty file", { file: Buffer.alloc(0) }, { status: 422, code: "INVALID_INPUT" }],
  ["content that contradicts the file name", { file: Buffer.alloc(99, 1) }, { status: 422, code: "INVALID_INPUT" }],
  ["a malformed idempotency key", { headers: { "idempotency-key": "x".repeat(256) } }, { status: 400, code: "BAD_REQUEST" }],
];

/** Detected only by an engine or the inspection before it. */
const files: readonly [string, Upload, Row][] = [
  ["a truncated file", { file: cut }, { status: 422, code: "INVALID_INPUT" }],
  ["a mislabelled file", { file: Buffer.from("plain text, no picture"), query: "?from=png" }, { status: 422, code: "INVALID_INPUT" }],
  ["a password-protected file", { to: "txt", file: lockedPdf(), name: "a.pdf" }, { status: 422, code: "PASSWORD_REQUIRED" }],
  ["vast dimensions", { file: vastPng(60_000) }, { status: 422, code: "INPUT_TOO_COMPLEX" }],
  ["data that the target cannot represent", { to: "toml", file: nameless, name: "a.json" }, { status: 422, code: "CONVERSION_FAILED" }],
  ["data over the target's limits", { to: "xlsb", file: longCell, name: "a.csv" }, { status: 422, code: "INPUT_TOO_COMPLEX" }],
];

const problem = { accept: "application/problem+json" };
const asProblem = (upload: Upload): Upload => ({ ...upload, headers: { ...upload.headers, ...problem } });

describe("a bad request", () => {
  it.each(requests)("with %s is rejected in both error formats and creates no job", async (_name, upload, row) => {
    const plain = await expectRow(await post(server, upload), row);
    expect(Object.keys(plain)).toEqual(["error"]);
    await expectRow(await post(server, asProblem(upload)), row);
    expect(JSON.parse(await (await call(server, "/api/v1/jobs")).text()).jobs).toEqual([]);
  });

  it("with a truncated body, another media type or no key is rejected", async () => {
    const send = (headers: Record<string, string>, body: string) =>
      fetch(`${server.url}/api/v1/convert`, { method: "POST", headers, body });
    const authorization = `Bearer ${server.key}`;
    const cutOff = '--XX\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nabc';
    const multipart = { authorization, "content-type": "multipart/form-data; boundary=XX" };
    for (const shape of [{}, problem]) {
      await expectRow(await send({ ...multipart, ...shape }, cutOff), { status: 400, code: "BAD_REQUEST" });
      const json = await send({ authorization, "content-type": "application/json", ...shape }, "{}");
      await expectRow(json, { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" });
      const none = await send(shape, "x");
      expect(none.headers.get("www-authenticate")).toMatch(/^Bearer\b/);
      await expectRow(none, { status: 401, code: "MISSING_API_KEY" });
    }
  });

  it("whose client disconnects during the upload leaves nothing behind", async () => {
    const client = await openRaw(Number(new URL(server.url).port));
    client.send(headOf(server.key, ["Content-Length: 1000000"]));
    client.send(bodyOf([toPart("webp"), filePart(Buffer.alloc(100_000))]));
    client.socket.destroy();
  });

  it("whose body arrives too slowly is answered with 408", async () => {
    const client = await openRaw(Number(new URL(server.url).port));
    client.send(headOf(server.key, ["Content-Length: 1000000"]));
    const answer = await client.answer();
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([408, "REQUEST_TIMEOUT"]);
    client.socket.destroy();
  });

  it("for an unknown path, job or method is answered with 404 or 405", async () => {
    await expectRow(await call(server, "/api/v1/nothing"), { status: 404, code: "NOT_FOUND" });
    await expectRow(await call(server, "/api/v1/nothing", { headers: problem }), { status: 404, code: "NOT_FOUND" });
    for (const id of ["0".repeat(26), "..%2f..%2fx"]) {
      for (const [method, path] of [
        ["GET", ""],
        ["DELETE", ""],
        ["GET", "/download"],
        ["GET", "/events"],
      ] as const) {
        await expectRow(await call(server, `/api/v1/jobs/${id}${path}`, { method }), { status: 404, code: "JOB_NOT_FOUND" });
      }
    }
    const wrong = await call(server, "/api/v1/convert");
    expect(wrong.headers.get("allow")).toBe("POST");
    await expectRow(wrong, { status: 405, code: "METHOD_NOT_ALLOWED" });
  });
});

describe("a file that cannot be converted", () => {
  it.each(files)("(%s) is answered with 422, the error and the failed job, in both error formats", async (_name, upload, row) => {
    const { error, job } = await expectRow(await post(server, upload), row);
    expect(job).toMatchObject({ status: "failed", bytes: 0, download: null, status_url: null, error: { code: row.code } });
    expect(job).toMatchObject({ error: { message: Object(error).message } });
    const told = await expectRow(await post(server, asProblem(upload)), row);
    expect(told.job).toMatchObject({ status: "failed", error: { code: row.code } });
    // Whether bytes or a later answer are requested, the reason is the same.
    expect((await expectRow(await post(server, { ...upload, query: `${upload.query ?? "?"}&download=1` }), row)).job).toBeDefined();
  });

  it("has no result to download, and the answer says why", async () => {
    const failed = await jobOf(await post(server, { file: cut }));
    const answer = await call(server, `/api/v1/jobs/${failed.id}/download`);
    await expectRow(answer, { status: 409, code: "JOB_FAILED", details: { reason: "INVALID_INPUT" } });
  });
});

describe("a conflicting request", () => {
  it("is rejected if it reuses an Idempotency-Key with different content", async () => {
    const headers = { "idempotency-key": "once" };
    const first = await jobOf(await post(server, { headers }));
    const again = await post(server, { headers });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect((await jobOf(again)).id).toBe(first.id);
    for (const other of [{ to: "jpg" }, { query: "?quality=50" }, { name: "b.png" }, { file: Buffer.concat([pixel, pixel]) }]) {
      await expectRow(await post(server, { headers, ...other }), { status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
    }
  });

  it("is rejected for another account's job, a revoked key or a free plan", async () => {
    const { id } = await jobOf(await post(server));
    await runCli(server, ["accounts", "create", "other@example.org", "--plan", "plus"]);
    const key = (await runCli(server, ["keys", "create", "other@example.org"])).trim();
    await expectRow(await call(server, `/api/v1/jobs/${id}`, { key }), { status: 404, code: "JOB_NOT_FOUND" });
    const { keyId } =
      /(?<keyId>\S+)/.exec((await runCli(server, ["keys", "list", "other@example.org"])).split("\n").at(-2) ?? "")?.groups ?? {};
    await runCli(server, ["keys", "revoke", keyId ?? ""]);
    await expect.poll(async () => (await call(server, "/api/v1/jobs", { key })).status).toBe(401);
    const revoked = await call(server, "/api/v1/jobs", { key });
    expect(revoked.headers.get("www-authenticate")).toMatch(/^Bearer\b/);
    await expectRow(revoked, { status: 401, code: "API_KEY_REVOKED" });
    await runCli(server, ["accounts", "create", "free@example.org", "--plan", "free"]);
    const free = (await runCli(server, ["keys", "create", "free@example.org"])).trim();
    await expectRow(await call(server, "/api/v1/jobs", { key: free }), { status: 403, code: "NOT_ENTITLED" });
  });
});
