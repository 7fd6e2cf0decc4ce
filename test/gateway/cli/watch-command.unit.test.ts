import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ErrorCode, FilemillError } from "#contract/errors.ts";
import type { Library } from "#gateway/cli/library.ts";
import { filemill } from "./command-line.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-watch-"));
  await mkdir(join(folder, "inbox"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const arrive = (...names: readonly string[]): Promise<unknown> =>
  Promise.all(names.map((name) => writeFile(join(folder, "inbox", name), name)));

/** Fails with the given codes, one per attempt at any file, then converts. */
function failing(...codes: readonly ErrorCode[]): { openLibrary: () => Promise<Library>; tried: string[] } {
  const left = [...codes];
  const tried: string[] = [];
  const convert: Library["convert"] = async ({ inputPath, outputPath }) => {
    tried.push(basename(inputPath));
    const code = left.shift();
    if (code !== undefined) throw new FilemillError(code, "No.");
    await writeFile(outputPath, "result");
    return { notes: [] };
  };
  return { tried, openLibrary: async () => ({ convert, [Symbol.asyncDispose]: async () => undefined }) as unknown as Library };
}

test("retries a file that failed because the server was unavailable, and reports the error once", async () => {
  await arrive("a.png");
  const { openLibrary, tried } = failing("UNAVAILABLE", "UNAVAILABLE");
  const stop = new AbortController();
  const said = filemill(["watch", "inbox", "--to", "webp"], { callerFolder: folder, openLibrary, signal: stop.signal });
  await expect.poll(() => readdir(join(folder, "inbox/converted")).catch(() => [])).toEqual(["a.webp"]);
  stop.abort(new FilemillError("JOB_CANCELLED", "Stopped."));
  expect((await said).err.match(/UNAVAILABLE/g)).toHaveLength(1);
  expect((await said).out).toMatch(/^inbox\/a\.png -> inbox\/converted\/a\.webp/);
  expect(tried).toEqual(["a.png", "a.png", "a.png"]);
});

test("does not retry a file that cannot be converted until it changes", async () => {
  await arrive("a.png");
  const { openLibrary, tried } = failing("INVALID_INPUT");
  const stop = new AbortController();
  const said = filemill(["watch", "inbox", "--to", "webp"], { callerFolder: folder, openLibrary, signal: stop.signal });
  await expect.poll(() => tried.length).toBe(1);
  await arrive("b.png");
  await expect.poll(() => tried).toEqual(["a.png", "b.png"]);
  await writeFile(join(folder, "inbox/a.png"), "changed");
  await expect.poll(() => tried).toEqual(["a.png", "b.png", "a.png"]);
  stop.abort(new FilemillError("JOB_CANCELLED", "Stopped."));
  await said;
});

test.each(["UNAVAILABLE", "RATE_LIMITED"] as const)("--once reports a server failure at the end: %s", async (code) => {
  await arrive("a.png", "b.png");
  const { openLibrary } = failing(code);
  const said = await filemill(["watch", "inbox", "--to", "webp", "--once"], { callerFolder: folder, openLibrary });
  expect(said).toMatchObject({ code: 1, err: `inbox/a.png: ${code}: No.\nCONVERSION_FAILED: 1 files were not converted.` });
  expect(said.out).toMatch(/^inbox\/b\.png -> /);
});

test.each([".", "elsewhere"])("results and originals may go anywhere outside the watched folder: %s", async (other) => {
  await arrive("a.png");
  const { openLibrary } = failing();
  const args = ["watch", "inbox", "--to", "webp", "--once", "--out-dir", other, "--move-to", other];
  expect(await filemill(args, { callerFolder: folder, openLibrary })).toMatchObject({ code: 0, err: "" });
  expect(await readdir(join(folder, other))).toEqual(expect.arrayContaining(["a.png", "a.webp"]));
  expect(await readdir(join(folder, "inbox"))).toEqual([]);
});

test.each(["--out-dir", "--move-to"])("rejects the watched folder itself as %s", async (option) => {
  const said = await filemill(["watch", "inbox", "--to", "webp", "--once", option, "inbox/"], { callerFolder: folder });
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining(`BAD_REQUEST: ${option} is the watched folder`) });
});

test("keeps an earlier original of the same name", async () => {
  const watch = () => filemill(["watch", "inbox", "--to", "webp", "--once", "--move-to", "done"], { callerFolder: folder, ...failing() });
  await arrive("a.png");
  await watch();
  await rm(join(folder, "inbox/converted"), { recursive: true });
  await arrive("a.png");
  await watch();
  expect((await readdir(join(folder, "done"))).toSorted()).toEqual(["a (2).png", "a.png"]);
});
