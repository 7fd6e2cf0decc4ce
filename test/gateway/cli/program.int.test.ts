import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLibrary } from "#gateway/library.ts";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { openRpcServer, type RpcServer } from "#kit/rpc/server.ts";
import type { Service } from "#kit/service.ts";
import { settingTable } from "#kit/settings.ts";
import { isKeySecret } from "#services/account/domain/key.ts";
import { createAccountService } from "#services/account/index.ts";
import { openTestBroker, type TestBroker } from "#test/harness/broker.ts";
import { token } from "#test/harness/rpc-token.ts";
import { filemill } from "./command-line.ts";

describe("with a running service", () => {
  let shared: TestBroker;
  let service: Service;
  let rpc: RpcServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    shared = await openTestBroker();
    service = createAccountService({ ...shared, belongings: [] }, { PLANS_FILE: undefined, SIGN_UP: "open" });
    await service.start();
    const routes = service.routes;
    rpc = await openRpcServer({ host: "127.0.0.1", port: 0, token, routes, isReady: () => true, log: shared.log });
    await writeFile(join(shared.dataDir, "run.json"), JSON.stringify({ rpcUrl: rpc.url, restUrl: "", pid: process.pid }));
    env = { DATA_DIR: shared.dataDir, RPC_TOKEN: token };
  });

  afterAll(async () => {
    await rpc[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await shared[Symbol.asyncDispose]();
  });

  test("creates and lists an account and changes its plan", async () => {
    expect(await filemill(["accounts", "create", "Ada@example.org", "--plan", "free"], { env })).toMatchObject({ code: 0 });
    expect(await filemill(["accounts", "set-plan", "ada@example.org", "plus"], { env })).toEqual({ code: 0, out: "", err: "" });
    const { out } = await filemill(["accounts", "list"], { env });
    expect(out).toMatch(/^ID +EMAIL +PLAN +CREATED\nacc_\w+ +ada@example\.org +plus +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test("prints a new key by itself, lists it without its secret, and revokes it", async () => {
    await filemill(["accounts", "create", "keys@example.org", "--plan", "plus"], { env });
    const { out: secret } = await filemill(["keys", "create", "keys@example.org", "--name", "laptop"], { env });
    expect(isKeySecret(secret)).toBe(true);
    const { out: list } = await filemill(["keys", "list", "keys@example.org"], { env });
    expect(list).toMatch(new RegExp(`key_\\w+ +${secret.slice(0, 8)}\\.\\.\\. +laptop +\\S+Z +- +-$`));
    expect(list).not.toContain(secret.slice(0, 9));
    const id = /key_\w+/.exec(list)?.[0] ?? "";
    expect(await filemill(["keys", "revoke", id], { env })).toEqual({ code: 0, out: "", err: "" });
    expect((await filemill(["keys", "list", "keys@example.org"], { env })).out).toMatch(/Z$/);
  });

  test.each([
    [["accounts", "create", "x@example.org", "--plan", "gold"], "PLAN_NOT_FOUND"],
    [["keys", "create", "nobody@example.org"], "ACCOUNT_NOT_FOUND"],
    [["keys", "revoke", "key_none"], "KEY_NOT_FOUND"],
  ])("reports a refusal with its error code: %j", async (args, code) => {
    const said = await filemill(args, { env });
    expect(said).toMatchObject({ code: 1, out: "" });
    expect(said.err).toMatch(new RegExp(`^${code}: .+\\.$`));
  });

  test("RPC_HOST and RPC_PORT take precedence over run.json", async () => {
    const { hostname, port } = new URL(rpc.url);
    const elsewhere = { RPC_HOST: hostname, RPC_PORT: port, RPC_TOKEN: token, DATA_DIR: "/nowhere" };
    expect((await filemill(["accounts", "list"], { env: elsewhere })).code).toBe(0);
  });

  test("reports a missing or unreachable service", async () => {
    const never = await filemill(["accounts", "list"], { env: { DATA_DIR: "/nowhere" } });
    expect(never).toMatchObject({ code: 1, err: expect.stringMatching(/^UNAVAILABLE: Filemill is not running/) });
    const gone = await filemill(["accounts", "list"], { env: { RPC_PORT: "1" } });
    expect(gone).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^UNAVAILABLE: Filemill does not answer at http:\/\/127\.0\.0\.1:1/),
    });
  });
});

describe("without a service", () => {
  let folder: string;
  const library = () => openLibrary(parseSettings(settingTable, { DATA_DIR: join(folder, "data") }), openLog("silent"));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "filemill-cli-"));
    await sharp({ create: { width: 40, height: 20, channels: 4, background: "#ff000080" } })
      .png()
      .toFile(join(folder, "in.png"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("converts a file with options, relative paths and notes on stderr", async () => {
    const said = await filemill(["convert", "in.png", "out.jpg", "--opt", "width=10"], { callerFolder: folder, openLibrary: library });
    expect(said).toMatchObject({ code: 0, out: "", err: expect.stringContaining("ALPHA_FLATTENED: ") });
    expect(await sharp(await readFile(join(folder, "out.jpg"))).metadata()).toMatchObject({ format: "jpeg", width: 10, height: 5 });
  });

  test("changes a file in its own format, but never overwrites it", async () => {
    const said = await filemill(["convert", "in.png", "small.png", "--opt", "width=10"], { callerFolder: folder, openLibrary: library });
    expect(said).toMatchObject({ code: 0, out: "" });
    expect(await sharp(await readFile(join(folder, "small.png"))).metadata()).toMatchObject({ format: "png", width: 10, height: 5 });
    const before = await readFile(join(folder, "in.png"));
    const over = await filemill(["convert", "in.png", "./in.png", "--opt", "width=10"], { callerFolder: folder, openLibrary: library });
    expect(over).toMatchObject({ code: 1, err: expect.stringMatching(/^BAD_REQUEST: .*overwrite/) });
    const folders = ["convert", ".", "--out-dir", ".", "--to", "png"];
    expect((await filemill(folders, { callerFolder: folder, openLibrary: library })).code).toBe(1);
    expect((await readFile(join(folder, "in.png"))).equals(before)).toBe(true);
  });

  test("joins several files in the given order", async () => {
    await writeFile(join(folder, "b.txt"), "second\n");
    await writeFile(join(folder, "a.md"), "# third\n");
    const said = await filemill(["join", "in.png", "b.txt", "a.md", "all.html"], { callerFolder: folder, openLibrary: library });
    expect(said).toMatchObject({ code: 0, out: "" });
    expect((await readFile(join(folder, "all.html"), "utf8")).replaceAll("\n", " ")).toMatch(/base64,.*second.*third/);
    const missing = await filemill(["join", "in.png", "nowhere.png", "all.pdf"], { callerFolder: folder, openLibrary: library });
    expect(missing).toMatchObject({ code: 1, err: expect.stringMatching(/^BAD_REQUEST: .*nowhere\.png/) });
  });

  test("watches a folder: converts new files once, reports failures and moves originals away", async () => {
    const inbox = join(folder, "inbox");
    await mkdir(join(inbox, "deep"), { recursive: true });
    await copyFile(join(folder, "in.png"), join(inbox, "a.png"));
    await copyFile(join(folder, "in.png"), join(inbox, "deep/b.png"));
    await writeFile(join(inbox, "broken.png"), Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0", "latin1"));
    const watch = (...more: string[]) =>
      filemill(["watch", "inbox", "--to", "webp", "--once", ...more], { callerFolder: folder, openLibrary: library });
    const first = await watch();
    expect(first).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^inbox\/broken\.png: INVALID_INPUT: .*\nCONVERSION_FAILED: 1 files/m),
    });
    expect(first.out.split("\n").map((line) => line.replace(/ \(.*/, ""))).toEqual([
      "inbox/a.png -> inbox/converted/a.webp",
      "inbox/deep/b.png -> inbox/converted/deep/b.webp",
    ]);
    await rm(join(inbox, "broken.png"));
    // As after a restart: finished files are not converted again.
    expect(await watch()).toEqual({ code: 0, out: "", err: "" });
    await copyFile(join(folder, "in.png"), join(inbox, "c.png"));
    await utimes(join(inbox, "a.png"), new Date(), new Date(Date.now() + 60_000));
    const again = await watch("--move-to", "done");
    expect(again.out.match(/^inbox\/\w+/gm)).toEqual(["inbox/a", "inbox/c"]);
    expect((await readdir(inbox)).toSorted()).toEqual(["converted", "deep"]);
    expect((await readdir(join(folder, "done"))).toSorted()).toEqual(["a.png", "c.png"]);
  });

  test("inspects a file and its targets, and describes a single route", async () => {
    const inspected = await filemill(["inspect", "in.png"], { callerFolder: folder, openLibrary: library });
    expect(inspected).toMatchObject({ code: 0, out: expect.stringMatching(/^in\.png: PNG image \(png\)\nTO [\s\S]*^webp +high /m) });
    const missing = await filemill(["inspect", "missing.png"], { callerFolder: folder, openLibrary: library });
    expect(missing).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^INVALID_INPUT: .*\/missing\.png cannot be read \(ENOENT\)\.$/m),
    });
    const route = await filemill(["routes", ".PNG", "webp"], { openLibrary: library });
    expect(route.out).toMatch(/^png -> webp: high, up to \d+ MB\n {2}step: png -> webp by sharp\n[\s\S]*^quality +1\.\.100 +80 /m);
    expect((await filemill(["routes", "png", "wepb"], { openLibrary: library })).err).toMatch(/did you mean webp/);
  });

  test("reports a failed conversion with its error code", async () => {
    const said = await filemill(["convert", "in.png", "out.webp", "--opt", "quality=0"], { callerFolder: folder, openLibrary: library });
    expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/^INVALID_OPTION: /) });
  });

  test("suggests a format for a mistyped extension", async () => {
    const said = await filemill(["convert", "in.png", "out.wepb"], { callerFolder: folder, openLibrary: library });
    expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/^UNSUPPORTED_TARGET: .*did you mean webp\?$/m) });
    const unknown = await filemill(["convert", "in.png", "out"], { callerFolder: folder, openLibrary: library });
    expect(unknown).toMatchObject({ code: 1, err: expect.stringMatching(/^UNSUPPORTED_TARGET: .*add --to FORMAT\.$/m) });
  });

  test("doctor lists every engine with its version", async () => {
    const { code, out } = await filemill(["doctor"], { openLibrary: library });
    expect(code).toBe(0);
    for (const engine of ["sharp", "FFmpeg", "LibreOffice", "Pandoc", "Poppler"])
      expect(out).toMatch(new RegExp(`^${engine}.* \\d+\\.\\d`, "m"));
  });
});
