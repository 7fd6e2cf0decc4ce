/** Agents with the official client of the Model Context Protocol: over HTTP with a key, and over stdio. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "#test/harness/cli.ts";
import { putFound } from "#test/harness/found.ts";
import { opened } from "#test/harness/opened.ts";
import { startServer } from "#test/harness/server.ts";
import { tarFile } from "#test/harness/tar-file.ts";

const server = opened(() => startServer({ URL_FETCH: "any" }));
let folder: string;
const open: Client[] = [];
const typical = (path: string): string => `test/corpus/typical/${path}`;

/** The answer of tools/call, as far as these tests read it. */
type Told = {
  readonly isError: boolean;
  readonly text: string;
  readonly pictures: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it finds, and fails on what it does not.
  readonly json: any;
};

async function call(client: Client, name: string, given: Readonly<Record<string, unknown>> = {}): Promise<Told> {
  const { content, isError } = await client.callTool({ name, arguments: given });
  const pictures = content.flatMap((part) => (part.type === "image" ? [part.data] : []));
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  return { isError: isError === true, text, pictures, json: /^\{"|^\[\{/.test(text) ? JSON.parse(text) : undefined };
}

async function connect(key = server.key): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }));
  open.push(client);
  return client;
}

/** Sends a file to the URL that the tool returned. */
async function send(told: Told, path: string): Promise<Response> {
  return fetch(`${told.json.upload}${encodeURIComponent(basename(path))}`, { method: "PUT", body: await readFile(path) });
}

const bytesOf = async (download: string): Promise<Buffer> => Buffer.from(await (await fetch(download)).arrayBuffer());

async function upload(client: Client, path: string, order: Readonly<Record<string, unknown>>): Promise<string> {
  const sent = await send(await call(client, "request_upload", order), path);
  const { job } = JSON.parse(await sent.text());
  expect(sent.status, JSON.stringify(job)).toBeLessThan(300);
  return job.id;
}

/** Waits for a call's job to end, however long it takes. */
async function ended(client: Client, told: Told): Promise<Told> {
  return told.json?.status === "running" || told.json?.status === "queued" ? untilDone(client, told.json.job) : told;
}

/** Reads a page of a file, however long its conversion takes. */
async function read(client: Client, given: Readonly<Record<string, unknown>>): Promise<Told> {
  const told = await call(client, "read_document", given);
  if (told.json?.job === undefined) return told;
  await ended(client, told);
  return call(client, "read_document", { job: told.json.job });
}

async function untilDone(client: Client, job: string): Promise<Told> {
  for (;;) {
    const told = await call(client, "job_status", { job, wait_seconds: 30 });
    if (told.json.status !== "queued" && told.json.status !== "running") return told;
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-agents-"));
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="160"><rect width="900" height="160" fill="white"/>
    <text x="40" y="100" font-size="56" font-family="DejaVu Sans">Invoice number 4711</text></svg>`;
  await writeFile(join(folder, "scan.png"), await sharp(Buffer.from(text)).png().toBuffer());
});
afterAll(async () => {
  for (const client of open) await client.close();
  await rm(folder, { recursive: true, force: true });
});

describe("over HTTP", () => {
  let client: Client;
  beforeAll(async () => {
    client = await connect();
  });

  test("lists what can be converted, and with which options", async () => {
    const { tools } = await client.listTools();
    const names = ["list_formats", "find_conversions", "job_status", "convert", "request_upload", "get_result", "read_document"];
    expect(tools.map(({ name }) => name)).toEqual(names);
    expect((await call(client, "list_formats", { kind: "spreadsheet" })).text).toMatch(/^xlsx {2}\S.*\(spreadsheet\)$/m);
    expect((await call(client, "find_conversions", { from: ".JPEG" })).text).toMatch(/^webp high$/m);
    const route = await call(client, "find_conversions", { from: "jpg", to: "webp" });
    expect(route.json).toMatchObject({ fidelity: "high", options: { quality: expect.stringMatching(/1\.\.100.*default/) } });
    const wrong = await call(client, "find_conversions", { from: "jpg", to: "wepb" });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringMatching(/^UNSUPPORTED_TARGET: .*webp/) });
  });

  // With the agent-written files, the scan and the large file, more than twenty different ones.
  test.each([
    ["document/typical.docx", "pdf", "%PDF"],
    ["document/typical.odt", "docx", "PK"],
    ["spreadsheet/typical.xlsx", "csv", ""],
    ["data/typical.json", "yaml", ""],
    ["image/typical.png", "jpg", "\xff\xd8"],
    ["image/typical.gif", "webp", "RIFF"],
    ["audio/typical.wav", "mp3", ""],
    ["archive/typical.zip", "tgz", "\x1f\x8b"],
    ["presentation/typical.pptx", "pdf", "%PDF"],
    ["document/typical.pdf", "png", "\x89PNG"],
    ["ebook/typical.epub", "txt", ""],
    ["subtitle/typical.srt", "vtt", "WEBVTT"],
    ["geo/typical.geojson", "kml", "<?xml"],
    ["model/typical.stl", "glb", "glTF"],
    ["video/typical.mp4", "gif", "GIF89a"],
  ])("%s is uploaded by ticket, converted to %s, and downloaded by ticket", async (path, to, magic) => {
    const job = await upload(client, typical(path), { to });
    expect((await untilDone(client, job)).json).toMatchObject({ status: "done", to });
    const { json } = await call(client, "get_result", { job });
    const fetched = await fetch(json.download);
    const bytes = Buffer.from(await fetched.arrayBuffer());
    expect(fetched.headers.get("content-disposition")).toMatch(new RegExp(`^attachment; filename="?typical\\.${to}`));
    expect(bytes.length).toBe(json.bytes);
    expect(bytes.toString("latin1", 0, magic.length)).toBe(magic);
  });

  test("a scanned PDF is uploaded by ticket and read as Markdown with its recognised text", async () => {
    const made = await upload(client, join(folder, "scan.png"), { to: "pdf" });
    await untilDone(client, made);
    const scan = join(folder, "far-scan.pdf");
    await writeFile(scan, await bytesOf((await call(client, "get_result", { job: made })).json.download));
    const job = await upload(client, scan, { to: "md" });
    expect((await untilDone(client, job)).json).toMatchObject({ status: "done", from: "pdf", to: "md" });
    expect((await call(client, "read_document", { job })).text).toMatch(/Invoice number 4711[\s\S]*\[job /);
  });

  test("a large file is transferred intact by tickets, and none of it is in the chat", async () => {
    const content = randomBytes(24_000_000);
    const [large, zip] = [join(folder, "large.tar"), join(folder, "large.zip")];
    await writeFile(large, tarFile([{ name: "content.bin", content }]));
    const job = await upload(client, large, { to: "zip" });
    expect((await untilDone(client, job)).json).toMatchObject({ status: "done", to: "zip" });
    const told = await call(client, "get_result", { job });
    expect(told.text.length).toBeLessThan(2000);
    await writeFile(zip, await bytesOf(told.json.download));
    const { stdout } = await promisify(execFile)("unzip", ["-p", zip, "content.bin"], { encoding: "buffer", maxBuffer: Infinity });
    expect(stdout.equals(content)).toBe(true);
  });

  test.each([
    ["# Title\n\n- one\n- two\n", "md", "html"],
    ["a,b\n1,2\n", "csv", "json"],
    ["<svg xmlns='http://www.w3.org/2000/svg' width='9' height='7'/>", "svg", "png"],
  ])("converts %j written by the agent to a file", async (text, from, to) => {
    const told = await ended(client, await call(client, "convert", { text, from, to, options: to === "png" ? { width: 18 } : {} }));
    expect(told.json).toMatchObject({ status: "done", from, to });
    if (to !== "png") return;
    const shown = await call(client, "get_result", { job: told.json.job, show: true });
    expect(await sharp(Buffer.from(shown.pictures[0] ?? "", "base64")).metadata()).toMatchObject({ format: "png", width: 18 });
  });

  test("reads a document as Markdown page by page without losing a byte", async () => {
    const job = await upload(client, typical("document/typical.docx"), { to: "md" });
    await untilDone(client, job);
    const whole = await (
      await fetch(`${server.url}/api/v1/jobs/${job}/download`, { headers: { authorization: `Bearer ${server.key}` } })
    ).text();
    let read = "";
    let offset: number | undefined = 0;
    for (let pages = 0; offset !== undefined && pages < 1000; pages++) {
      const { text } = await call(client, "read_document", { job, offset, max_characters: 1000 });
      const [, page = "", rest = ""] = /^([\s\S]*)\n\n\[job (.*)\]/.exec(text) ?? [];
      read += page;
      const next = /offset (\d+)/.exec(rest)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(read).toBe(whole);
    expect(whole.length).toBeGreaterThan(100);
  });

  test("reads and converts a document from the web", async () => {
    const web = createServer(async (_request, response) => void response.end(await readFile(typical("document/typical.docx")))).listen(
      0,
      "127.0.0.1",
    );
    await once(web, "listening");
    const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/letter.docx`;
    expect((await read(client, { url })).text).toMatch(/\S[\s\S]*\[job \w{26}, md, /);
    expect((await ended(client, await call(client, "convert", { url, to: "txt" }))).json).toMatchObject({
      status: "done",
      from: "docx",
      to: "txt",
    });
    expect((await call(client, "convert", { to: "txt" })).text).toMatch(/^BAD_REQUEST: /);
    web.close();
  });

  test("a ticket accepts one file and is revoked with its key", async () => {
    const key = (await runCli(server, ["keys", "create", "local@filemill.localhost"])).trim();
    const own = await connect(key);
    const ticket = await call(own, "request_upload", { to: "webp" });
    expect(JSON.stringify(ticket)).not.toContain(key);
    expect((await send(ticket, typical("image/typical.png"))).status).toBe(200);
    // The same file again is a replay; another one is refused.
    expect((await send(ticket, typical("image/typical.png"))).headers.get("idempotent-replayed")).toBe("true");
    expect((await send(ticket, typical("image/typical.gif"))).status).toBe(422);
    const changed = ticket.json.upload.replace(/.(.)\/$/, (_: string, last: string) => `${last === "A" ? "B" : "A"}${last}/`);
    expect((await fetch(`${changed}a.png`, { method: "PUT", body: "x" })).status).toBe(404);
    const download = (await call(own, "get_result", { job: (await call(own, "job_status")).json[0].job })).json.download;
    expect((await fetch(download)).status).toBe(200);
    const keys = (await runCli(server, ["keys", "list", "local@filemill.localhost"])).split("\n");
    const row = keys.find((line) => line.includes(key.slice(0, 8)));
    await runCli(server, ["keys", "revoke", row?.split(" ")[0] ?? ""]);
    expect((await fetch(download)).status).toBe(401);
    expect((await fetch(`${ticket.json.upload}a.png`, { method: "PUT", body: "x" })).status).toBe(401);
    await expect(call(own, "list_formats")).rejects.toThrow();
  });

  test("reports failures to the agent with their error code", async () => {
    expect((await call(client, "convert", { text: "x", from: "md", to: "nothing" })).text).toMatch(/^UNSUPPORTED_TARGET: /);
    const nonsense = { text: "x", from: "md", to: "html", options: { nonsense: 1 } };
    expect((await call(client, "convert", nonsense)).text).toMatch(/^INVALID_OPTION: /);
    expect((await call(client, "get_result", { job: "0".repeat(26) })).text).toMatch(/^JOB_NOT_FOUND: /);
    const damaged = join(folder, "damaged.png");
    await writeFile(damaged, (await readFile(typical("image/typical.png"))).subarray(0, 40));
    expect(await (await send(await call(client, "request_upload", { to: "webp" }), damaged)).json()).toMatchObject({
      error: { code: "INVALID_INPUT" },
    });
    const empty = await fetch(`${(await call(client, "request_upload", { to: "webp" })).json.upload}a.png`, { method: "PUT", body: "" });
    expect(JSON.parse(await empty.text()).error.code).toBe("INVALID_INPUT");
    const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    expect((await fetch(`${server.url}/mcp`, init)).status).toBe(401);
  });
});

describe("over stdio", () => {
  let client: Client;
  const script = fileURLToPath(new URL("../../gateway/setup/filemill.mjs", import.meta.url));
  const start = async (env: Readonly<Record<string, string>>): Promise<Client> => {
    const started = new Client({ name: "test", version: "1" });
    const all = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", DATA_DIR: join(folder, "data"), ...env };
    await started.connect(new StdioClientTransport({ command: process.execPath, args: [script, "mcp"], cwd: folder, env: all }));
    open.push(started);
    return started;
  };
  beforeAll(async () => {
    await putFound(join(folder, "data"));
    client = await start({});
    for (const name of ["document/typical.md", "data/typical.json", "image/typical.png", "data/typical.csv", "vector/typical.svg"])
      await copyFile(typical(name), join(folder, basename(name)));
  });

  test.each([
    ["typical.md", "docx"],
    ["typical.json", "yaml"],
    ["typical.png", "webp"],
    ["typical.csv", "xlsx"],
    ["typical.svg", "pdf"],
    ["scan.png", "pdf"],
  ])("converts %s to %s next to it, without a server or a key", async (name, to) => {
    const told = await ended(client, await call(client, "convert", { path: name, to }));
    expect(told.json).toMatchObject({ status: "done", path: join(folder, name.replace(/\.\w+$/, `.${to}`)) });
    expect((await readFile(told.json.path)).length).toBe(told.json.bytes);
    // The file exists, and the agent did not ask to replace it.
    expect((await call(client, "convert", { path: name, to })).text).toMatch(/^BAD_REQUEST: .*exists/);
  });

  test("reads a local scanned PDF as Markdown with its recognised text", async () => {
    expect((await read(client, { path: "scan.pdf" })).text).toMatch(/Invoice number 4711[\s\S]*\[job /);
  });

  test("reports a missing file", async () => {
    expect((await call(client, "convert", { path: "gone.png", to: "webp" })).text).toMatch(/^INVALID_INPUT: .*gone\.png/);
    expect((await call(client, "read_document", { path: "gone.pdf" })).isError).toBe(true);
  });

  test("converts local files on a server", async () => {
    const remote = await start({ FILEMILL_SERVER: server.url, FILEMILL_API_KEY: server.key });
    const told = await ended(remote, await call(remote, "convert", { path: "typical.png", to: "avif", output: "far.avif" }));
    expect(told.json).toMatchObject({ status: "done", path: join(folder, "far.avif") });
    expect(await sharp(join(folder, "far.avif")).metadata()).toMatchObject({ format: "heif" });
    expect((await read(remote, { path: "typical.docx" })).text).toMatch(/\S[\s\S]*\[job /);
  });
});
