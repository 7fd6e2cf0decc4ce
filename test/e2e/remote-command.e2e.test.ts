/** The `filemill` command against a server: it knows a URL and a key, but nothing of the machine. */
import { execFile, spawn } from "node:child_process";
import { randomFillSync } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type TestServer } from "#test/harness/server.ts";

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = await mkdtemp(join(tmpdir(), "filemill-remote-"));
  await mkdir(join(folder, "photos/deep"), { recursive: true });
  const picture = sharp({ create: { width: 40, height: 20, channels: 4, background: "#ff000080" } }).png();
  for (const name of ["one.png", "photos/two.png", "photos/deep/three.png"]) await picture.clone().toFile(join(folder, name));
  await writeFile(join(folder, "photos/broken.png"), Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "latin1"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await server[Symbol.asyncDispose]();
});

type Said = { readonly code: number; readonly out: string; readonly err: string };

const script = fileURLToPath(new URL("../../gateway/setup/filemill.mjs", import.meta.url));

const surroundings = (env: Readonly<Record<string, string>>) => ({
  ...{ PATH: process.env.PATH, INIT_CWD: folder, FILEMILL_SERVER: server.url, FILEMILL_API_KEY: server.key },
  ...env,
});

/** Runs the command as a user does, in the folder with the files and without the service's own environment. */
function filemill(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Said> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd: folder, env: surroundings(env) }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

test("converts a file with options and prints its notes", async () => {
  const said = await filemill(["convert", "one.png", "one.jpg", "--opt", "width=10"]);
  expect(said).toMatchObject({ code: 0, out: "", err: expect.stringContaining("ALPHA_FLATTENED: ") });
  expect(await sharp(await readFile(join(folder, "one.jpg"))).metadata()).toMatchObject({ format: "jpeg", width: 10, height: 5 });
});

test("waits for a queued conversion and leaves only the result", async () => {
  const lavfi = ["-f", "lavfi", "-i", "testsrc=duration=1:size=160x120:rate=10", "-pix_fmt", "yuv420p"];
  await promisify(execFile)("ffmpeg", ["-v", "error", ...lavfi, join(folder, "clip.mp4")]);
  expect(await filemill(["convert", "clip.mp4", "clip.webm"])).toMatchObject({ code: 0 });
  const bytes = await readFile(join(folder, "clip.webm"));
  expect(bytes.subarray(0, 4).toString("hex")).toBe("1a45dfa3");
  expect((await readdir(folder)).filter((name) => name.endsWith(".part"))).toEqual([]);
});

test("converts a folder's files and reports those that cannot be converted", async () => {
  const said = await filemill(["convert", "one.png", "photos", "--out-dir", "results", "--to", "webp"]);
  expect(said.code).toBe(1);
  expect(said.out.trim().split("\n").sort()).toEqual([
    "one.png -> results/one.webp",
    "photos/deep/three.png -> results/deep/three.webp",
    "photos/two.png -> results/two.webp",
  ]);
  expect(said.err).toMatch(/^photos\/broken\.png: INVALID_INPUT: /m);
  expect(said.err).toMatch(/1 of 4 files/);
  expect((await sharp(await readFile(join(folder, "results/deep/three.webp"))).metadata()).format).toBe("webp");
});

test("converts from stdin to stdout", async () => {
  const run = (args: readonly string[]): Promise<{ code: number | null; out: Buffer; err: string }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [script, ...args], { cwd: folder, env: surroundings({}) });
      const [out, err]: Buffer[][] = [[], []];
      child.stdout.on("data", (chunk: Buffer) => out?.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => err?.push(chunk));
      child.on("close", (code) => resolve({ code, out: Buffer.concat(out ?? []), err: Buffer.concat(err ?? []).toString() }));
      // A refusal does not wait for the file.
      child.stdin.on("error", () => {});
      createReadStream(join(folder, "one.png")).pipe(child.stdin);
    });
  for (const server of [[], ["--server", ""]]) {
    const { code, out, err } = await run(["convert", "-", "-", "--to", "webp", ...server]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(await sharp(out).metadata()).toMatchObject({ format: "webp", width: 40 });
  }
  expect(await run(["convert", "-", "-"])).toMatchObject({ code: 2, err: expect.stringContaining("--to FORMAT") });
});

test("Ctrl-C cancels jobs on the server, leaves no partial files and exits with 130", async () => {
  const noise = randomFillSync(Buffer.alloc(4000 * 4000 * 3));
  await mkdir(join(folder, "large"));
  const picture = await sharp(noise, { raw: { width: 4000, height: 4000, channels: 3 } })
    .jpeg()
    .toBuffer();
  for (const name of ["a.jpg", "b.jpg"]) await writeFile(join(folder, "large", name), picture);
  const args = ["convert", "large", "--out-dir", "slow", "--to", "avif", "--opt", "effort=9"];
  const child = spawn(process.execPath, [script, ...args], { cwd: folder, env: surroundings({}) });
  const closed = once(child, "close");
  const unfinished = async () =>
    (JSON.parse((await filemill(["jobs", "list", "--limit", "100", "--json"])).out) as { status: string }[]).filter(({ status }) =>
      /queued|running/.test(status),
    );
  await expect.poll(unfinished, { timeout: 90_000 }).toHaveLength(2);
  child.kill("SIGINT");
  expect(await closed).toEqual([130, null]);
  expect(await unfinished()).toEqual([]);
  expect(await readdir(join(folder, "slow"))).toEqual([]);
});

test("refusals keep their error code, and an unreachable server is reported", async () => {
  expect((await filemill(["convert", "one.png", "one.nothing"])).err).toMatch(/^UNSUPPORTED_TARGET: /);
  expect((await filemill(["convert", "one.png", "x.webp"], { FILEMILL_API_KEY: "" })).err).toMatch(/^MISSING_API_KEY: /);
  expect((await filemill(["convert", "one.png", "x.webp"], { FILEMILL_SERVER: "http://127.0.0.1:1" })).err).toMatch(
    /^UNAVAILABLE: .*ECONNREFUSED/,
  );
  expect((await filemill(["convert", "one.png", "x.webp", "--server", "files"])).err).toMatch(/^BAD_REQUEST: /);
});

test("lists, waits for, downloads and deletes jobs", async () => {
  const form = new FormData();
  form.set("to", "webp");
  form.set("file", new Blob([await readFile(join(folder, "one.png"))]), "one.png");
  const headers = { authorization: `Bearer ${server.key}`, prefer: "respond-async" };
  const answer = await fetch(`${server.url}/api/v1/convert`, { method: "POST", body: form, headers });
  const { job }: { job: { id: string } } = await answer.json().then((body) => body as { job: { id: string } });
  expect(await filemill(["jobs", "wait", job.id])).toMatchObject({ code: 0, out: "done\n" });
  expect((await filemill(["jobs", "list", "--limit", "100"])).out).toMatch(new RegExp(`^${job.id} +done +png +webp +\\d+ `, "m"));
  expect(await filemill(["jobs", "download", job.id, "again.webp"])).toMatchObject({ code: 0 });
  expect((await sharp(await readFile(join(folder, "again.webp"))).metadata()).format).toBe("webp");
  expect(await filemill(["jobs", "delete", job.id])).toMatchObject({ code: 0 });
  expect((await filemill(["jobs", "wait", job.id])).err).toMatch(/^JOB_NOT_FOUND: /);
});

test("waiting for a failing job fails with its reason", async () => {
  const form = new FormData();
  form.set("to", "webp");
  form.set("file", new Blob([await readFile(join(folder, "photos/broken.png"))]), "broken.png");
  const headers = { authorization: `Bearer ${server.key}`, prefer: "respond-async" };
  const answer = await fetch(`${server.url}/api/v1/convert`, { method: "POST", body: form, headers });
  const { job } = (await answer.json()) as { job: { id: string } };
  const plain = await filemill(["jobs", "wait", job.id]);
  expect(plain).toMatchObject({ code: 1, out: "failed\n", err: expect.stringMatching(/^INVALID_INPUT: /) });
  const { code, out } = await filemill(["jobs", "wait", job.id, "--json"]);
  expect({ code, job: JSON.parse(out) }).toMatchObject({
    code: 1,
    job: { id: job.id, status: "failed", error: { code: "INVALID_INPUT" } },
  });
});

test("lists the server's formats", async () => {
  expect((await filemill(["formats", "png"])).out).toMatch(/^webp +(lossless|high) +inline +\d+ MB +.*\bquality\b/m);
  const conversions: { to: string }[] = JSON.parse((await filemill(["formats", "png", "--json"])).out);
  expect(conversions.map(({ to }) => to)).toContain("webp");
  expect(await filemill(["formats", "nothing"])).toMatchObject({ code: 1, err: expect.stringMatching(/^UNSUPPORTED_CONVERSION: /) });
});

test("retries a busy server after its Retry-After", async () => {
  let asked = 0;
  const busy = createServer((_, response) => {
    asked++;
    if (asked === 1) response.writeHead(503, { "retry-after": "0" }).end('{"error":{"code":"OVERLOADED","message":"Later."}}');
    else response.writeHead(200, { "content-type": "application/json" }).end('{"jobs":[],"nextCursor":null}');
  });
  await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
  const { port } = busy.address() as AddressInfo;
  expect(await filemill(["jobs", "list", "--server", `http://127.0.0.1:${port}`])).toMatchObject({ code: 0, err: "" });
  expect(asked).toBe(2);
  busy.close();
});
