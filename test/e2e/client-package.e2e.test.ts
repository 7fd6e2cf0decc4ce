/** The engineless command as a package: built, and run by npx, as on a machine without the rest of Filemill. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { opened } from "#test/harness/opened.ts";
import { startServer, withoutOffice } from "#test/harness/server.ts";

const run = promisify(execFile);
const server = opened(() => startServer(withoutOffice));
let folder: string;
let tarball: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-client-"));
  await run(process.execPath, ["gateway/cli/client/pack.ts"]);
  await run("npm", ["pack", resolve(".tmp/client"), "--pack-destination", folder]);
  const [made = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  tarball = join(folder, made);
  await sharp({ create: { width: 40, height: 20, channels: 3, background: "#204060" } })
    .png()
    .toFile(join(folder, "in.png"));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** In its own folder and home, without a registry. */
async function npx(args: readonly string[], env: Readonly<Record<string, string>>) {
  const { INIT_CWD: _caller, ...inherited } = process.env;
  const own = { ...inherited, HOME: folder, npm_config_offline: "true", npm_config_cache: join(folder, "cache"), ...env };
  return run("npx", ["--yes", `./${basename(tarball)}`, ...args], { cwd: folder, env: own });
}

test("npx converts a file on a server and reports the result", async () => {
  const { stderr } = await npx(["convert", "in.png", "out.webp", "--opt", "width=10"], {
    FILEMILL_SERVER: server.url,
    FILEMILL_API_KEY: server.key,
  });
  expect(stderr).toContain("out.webp");
  expect(await sharp(await readFile(join(folder, "out.webp"))).metadata()).toMatchObject({ format: "webp", width: 10 });
});

test("reports a missing server or key", async () => {
  await expect(npx(["convert", "in.png", "out.webp"], { FILEMILL_SERVER: "" })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("BAD_REQUEST: Set the server: --server URL, or FILEMILL_SERVER."),
  });
  await expect(npx(["jobs", "list"], { FILEMILL_SERVER: server.url, FILEMILL_API_KEY: "" })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("MISSING_API_KEY"),
  });
});
