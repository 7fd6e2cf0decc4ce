import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, createRouterTransport } from "@connectrpc/connect";
import { Upload } from "tus-js-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createResumableUploads } from "#gateway/access/resumable-uploads.ts";
import { SignInService } from "#gen/filemill/account/v1/sign_in_pb.ts";
import { openLog } from "#kit/log.ts";
import { png } from "#test/gateway/samples.ts";
import { auth, jsonOf, openStage, otherKey, type Stage } from "#test/gateway/stage.ts";
import { type BrowserClient, openBrowserClient } from "#test/harness/browser-client.ts";
import { openCuttingLine } from "#test/harness/cutting-line.ts";

let stage: Stage;
let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "filemill-uploads-"));
  stage = await openStage({ maxInputMb: 100, settings: { DATA_DIR: dataDir } });
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true });
});

const tus = { ...auth, "tus-resumable": "1.0.0" };
const offsetStream = "application/offset+octet-stream";

function ask(
  path: string,
  method: string,
  headers: Readonly<Record<string, string>> = {},
  body: RequestInit["body"] = null,
): Promise<Response> {
  return fetch(new URL(path, `${stage.url}/api/v1/`), { method, headers: { ...tus, ...headers }, body });
}

/** Starts an upload and returns its path relative to the API's base. */
async function begun(sizeBytes: number, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const answer = await ask("uploads", "POST", { "upload-length": String(sizeBytes), ...headers });
  expect(answer.status).toBe(201);
  return answer.headers.get("location") ?? "";
}

const piece = (
  path: string,
  offset: number,
  body: RequestInit["body"],
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> => ask(path, "PATCH", { "content-type": offsetStream, "upload-offset": String(offset), ...headers }, body);

const convert = (path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  ask(`${path}/convert`, "POST", { "content-type": "application/json", ...headers }, JSON.stringify(body));

/** 2 GB with `UPLOAD_TEST_MB=2048`, which takes minutes on a slow disk. */
const largeMb = Number(process.env.UPLOAD_TEST_MB ?? 60);

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

test("the official tus client uploads a file over a connection cut twenty times, and it becomes a job", async () => {
  const folder = await mkdtemp(join(tmpdir(), "filemill-large-"));
  const large = join(folder, "large.png");
  await writeFile(large, png);
  for (let mb = 0; mb < largeMb; mb += 20) await appendFile(large, randomBytes(20_000_000));
  const { size } = await stat(large);
  await using receiving = await openStage({ maxInputMb: largeMb + 100, settings: { DATA_DIR: folder } });
  using line = await openCuttingLine(receiving.port, { everyBytes: Math.floor(size / 20.7), times: 20 });
  const location = await new Promise<string>((resolve, reject) => {
    const upload = new Upload(createReadStream(large) as never, {
      endpoint: `${line.url}/api/v1/uploads`,
      headers: auth,
      chunkSize: 20_000_000,
      retryDelays: Array<number>(40).fill(20),
      metadata: { filename: "large.png" },
      onError: reject,
      onSuccess: () => resolve(upload.url ?? ""),
    });
    upload.start();
  });
  expect(line.cuts()).toBe(20);
  const address = `${receiving.url}/api/v1/uploads/${location.split("/").at(-1)}`;
  const { upload } = await jsonOf(await fetch(address, { headers: tus }));
  expect(upload).toMatchObject({ sizeBytes: size, offset: size, name: "large.png" });
  const headers = { ...tus, "content-type": "application/json" };
  const answer = await fetch(`${address}/convert`, { method: "POST", headers, body: JSON.stringify({ to: "webm" }) });
  expect(answer.status).toBe(202);
  const created = receiving.created.at(-1);
  expect(created).toMatchObject({ from: "png", to: "webm", sourceName: "large.png" });
  expect(await digestOf(receiving.blobs.pathOf(created?.input?.id ?? ""))).toBe(await digestOf(large));
  await expect.poll(async () => (await fetch(address, { method: "HEAD", headers: tus })).status).toBe(404);
  await rm(folder, { recursive: true });
});

test("accepts a chunk only at the current offset", async () => {
  const path = await begun(png.length, { "upload-metadata": `filename ${Buffer.from("a.png").toString("base64")}` });
  expect((await piece(path, 0, png.subarray(0, 10))).headers.get("upload-offset")).toBe("10");
  for (const lie of [0, 9, 11, png.length]) {
    const refused = await piece(path, lie, png.subarray(10));
    expect([refused.status, (await jsonOf(refused)).error.message]).toEqual([409, expect.stringContaining("ask for the offset with HEAD")]);
  }
  for (const nonsense of ["-1", "1e1", "0x0a", ""]) {
    const answer = await ask(path, "PATCH", { "content-type": offsetStream, "upload-offset": nonsense }, png.subarray(10));
    expect(answer.status, nonsense).toBeGreaterThanOrEqual(400);
  }
  const head = await ask(path, "HEAD");
  expect([head.headers.get("upload-offset"), head.headers.get("upload-length")]).toEqual(["10", String(png.length)]);
  const early = await convert(path, { to: "webp" });
  expect([early.status, (await jsonOf(early)).error]).toMatchObject([400, { code: "BAD_REQUEST", details: { offset: 10 } }]);
  expect((await piece(path, 10, png.subarray(10))).status).toBe(204);
  const refused = await convert(path, { to: "nothing" });
  expect((await jsonOf(refused)).error.code).toBe("UNSUPPORTED_TARGET");
  // A refused conversion must not discard the upload.
  const done = await jsonOf(await convert(path, { to: "webp", options: { quality: 70 } }));
  expect(done.job).toMatchObject({ status: "done", from: "png", bytes: png.length });
  expect(stage.created.at(-1)).toMatchObject({ options: { quality: "70" }, sourceName: "a.png" });
});

test("rejects more bytes than announced, with or without Content-Length, and keeps earlier ones", async () => {
  const path = await begun(100);
  expect((await piece(path, 0, Buffer.alloc(101))).status).toBe(413);
  await new Promise<void>((resolve, reject) => {
    const headers = { ...tus, "content-type": offsetStream, "upload-offset": "0", "transfer-encoding": "chunked" };
    const endless = httpRequest(new URL(`/api/v1/${path}`, stage.url), { method: "PATCH", headers }, (answer) => {
      expect(answer.statusCode).toBe(413);
      endless.destroy();
      resolve();
    });
    endless.on("error", reject);
    const more = (): void => void (endless.destroyed || endless.write(Buffer.alloc(1 << 16), () => setImmediate(more)));
    more();
  });
  const offset = Number((await ask(path, "HEAD")).headers.get("upload-offset"));
  expect(offset).toBeLessThanOrEqual(100);
  await ask(path, "DELETE");
});

test("does not mix two concurrent chunks: only one counts", async () => {
  const size = 3_000_000;
  const path = await begun(size);
  const answers = await Promise.all([piece(path, 0, Buffer.alloc(size, "a")), piece(path, 0, Buffer.alloc(size, "b"))]);
  const statuses = answers.map(({ status }) => status);
  expect(statuses).toContain(204);
  const content = await readFile(join(dataDir, path));
  expect(content.length).toBe(size);
  expect(content.equals(Buffer.alloc(size, content[0]))).toBe(true);
  await ask(path, "DELETE");
});

test("answers 404 for uploads that belong to others, are deleted or have expired", async () => {
  const path = await begun(10);
  const other = { authorization: `Bearer ${otherKey}` };
  for (const method of ["GET", "HEAD", "DELETE"]) expect((await ask(path, method, other)).status).toBe(404);
  expect((await piece(path, 0, "x", other)).status).toBe(404);
  expect((await convert(path, { to: "webp" }, other)).status).toBe(404);
  expect((await ask(path, "GET", { authorization: "Bearer none" })).status).toBe(401);
  for (const odd of ["uploads/..%2fdevice-key", `uploads/${"0".repeat(64)}`, "uploads/%00", `${path}.json`])
    expect((await ask(odd, "GET")).status).toBe(404);
  expect((await ask(path, "DELETE")).status).toBe(204);
  expect((await ask(path, "GET")).status).toBe(404);
  const old = await begun(10);
  const facts = `${join(dataDir, old)}.json`;
  await writeFile(facts, (await readFile(facts, "utf8")).replace(/"creation_date":"\d{4}/, '"creation_date":"2020'));
  expect((await ask(old, "GET")).status).toBe(404);
  expect((await piece(old, 0, "x")).status).toBe(404);
});

test.each([
  [{}, 400],
  [{ "upload-length": "0" }, 422],
  [{ "upload-length": "-1" }, 400],
  [{ "upload-length": "100000001" }, 413],
  [{ "upload-defer-length": "1" }, 400],
  [{ "upload-length": "10", "tus-resumable": "" }, 412],
  [{ "upload-length": "10", "upload-metadata": "a,,b" }, 400],
])("rejects an upload with %j", async (headers: Record<string, string>, status) => {
  const answer = await ask("uploads", "POST", headers);
  expect(answer.status).toBe(status);
  expect((await jsonOf(answer)).error.code).toMatch(/^[A-Z_]+$/);
});

test("limits an account's uploads by number and budget, and removes expired ones", async () => {
  const asked: bigint[] = [];
  for (const name of await readdir(join(dataDir, "uploads"))) await rm(join(dataDir, "uploads", name));
  await using small = await openStage({ settings: { DATA_DIR: dataDir }, onCheckBudget: (bytes) => void asked.push(bytes) });
  const begin = () => fetch(`${small.url}/api/v1/uploads`, { method: "POST", headers: { ...tus, "upload-length": "1000" } });
  const answers = await Promise.all(Array.from({ length: 22 }, begin));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array<number>(20).fill(201), 429, 429]);
  expect(asked.map(Number)).toEqual(Array.from({ length: 20 }, (_, index) => (index + 1) * 1000));
  const folder = join(dataDir, "uploads");
  for (const name of (await readdir(folder)).filter((each) => each.endsWith(".json"))) {
    const text = await readFile(join(folder, name), "utf8");
    await writeFile(join(folder, name), text.replace(/"creation_date":"\d{4}/, '"creation_date":"2020'));
  }
  // As left behind by a crash.
  await rm(join(folder, (await readdir(folder)).find((name) => name.endsWith(".json")) ?? ""));
  const [half = ""] = (await readdir(folder)).filter((name, _, all) => !name.endsWith(".json") && !all.includes(`${name}.json`));
  await utimes(join(folder, half), 0, 0);
  using _tidier = createResumableUploads({ DATA_DIR: dataDir }, "any", openLog("silent"), 20);
  await expect.poll(() => readdir(folder), { timeout: 20_000 }).toEqual([]);
});

const signIn = createClient(
  SignInService,
  createRouterTransport(({ service }) => {
    service(SignInService, {
      getSignUp: () => ({ plan: { id: "free", maxInputMb: 25, requestsPerMinute: 100, maxUnfinishedJobs: 5, retentionSeconds: 60 } }),
    });
  }),
);
const ofPage = { "tus-resumable": "1.0.0" };
const beginAt = (guest: BrowserClient, size = 10) =>
  guest.ask("POST", "/web/v1/uploads", undefined, { ...ofPage, "upload-length": String(size) });

test("accepts guests' uploads from the web pages: private, same-origin only, one budget per address", async () => {
  const asked: bigint[] = [];
  const own = await mkdtemp(join(tmpdir(), "filemill-uploads-"));
  await using guests = await openStage({ settings: { DATA_DIR: own }, deps: { signIn }, onCheckBudget: (bytes) => void asked.push(bytes) });
  const [one, two] = [openBrowserClient(guests.url), openBrowserClient(guests.url)];
  const begunHere = await beginAt(one, png.length);
  expect([begunHere.status, (await beginAt(two, 500)).status]).toEqual([201, 201]);
  expect(asked.map(Number)).toEqual([png.length, png.length + 500]);
  const path = `/web/v1/${begunHere.headers.get("location")}`;
  const fromElsewhere = await fetch(guests.url + path, { method: "DELETE", headers: { ...ofPage, origin: "https://evil.example" } });
  expect([fromElsewhere.status, (await jsonOf(fromElsewhere)).error.code]).toEqual([403, "CROSS_SITE_REQUEST"]);
  expect((await two.ask("GET", path)).status).toBe(404);
  const cookie = [...one.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const sent = await fetch(guests.url + path, {
    method: "PATCH",
    headers: { ...ofPage, cookie, origin: guests.url, "x-filemill": "1", "content-type": offsetStream, "upload-offset": "0" },
    body: png,
  });
  expect(sent.status).toBe(204);
  const done = await one.ask("POST", `${path}/convert`, { to: "webp", name: "a.png" });
  expect(done.json.job).toMatchObject({ status: "done", from: "png" });
  expect(guests.created.at(-1)?.budget?.guest).toBe(true);
  await rm(own, { recursive: true });
});

test("an upload that a guest has not touched for an hour makes room for others at the address", async () => {
  const own = await mkdtemp(join(tmpdir(), "filemill-uploads-"));
  await using guests = await openStage({ settings: { DATA_DIR: own }, deps: { signIn } });
  const left = await beginAt(openBrowserClient(guests.url));
  const file = join(own, left.headers.get("location") ?? "");
  await utimes(file, Date.now() / 1000 - 3601, Date.now() / 1000 - 3601);
  expect((await beginAt(openBrowserClient(guests.url))).status).toBe(201);
  expect(await readdir(join(own, "uploads"))).toHaveLength(2);
  expect(await readdir(join(own, "uploads"))).not.toContain(file.split("/").at(-1));
  await rm(own, { recursive: true });
});
