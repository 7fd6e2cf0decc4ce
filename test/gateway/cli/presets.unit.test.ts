import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { ConvertTask, Library } from "#gateway/cli/library.ts";
import { filemill } from "./command-line.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "filemill-presets-"));
  await writeFile(join(home, "a.png"), "x");
});
afterEach(() => rm(home, { recursive: true }));

/** Captures the engines' options instead of converting. */
async function run(...args: string[]) {
  let asked: ConvertTask["options"] | undefined;
  const library = {
    convert: async (task: ConvertTask) => {
      asked = task.options;
      await writeFile(task.outputPath, "y");
      return { notes: [{ code: "PAGES_LEFT_OUT", message: "Choose others by `pages=all`." }] };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
  const openLibrary = async () => library as unknown as Library;
  const said = await filemill(args, { env: { HOME: home }, callerFolder: home, openLibrary });
  return { ...said, asked };
}

test("saves options as a preset, applies it with overrides, lists and removes it", async () => {
  expect(await run("preset", "save", "web", "--opt", "width=1600", "--opt", "quality=75")).toMatchObject({ code: 0, out: "", err: "" });
  expect(await run("preset", "save", "small", "--opt", "width=200")).toMatchObject({ code: 0 });
  expect((await run("preset", "list")).out).toBe("NAME   OPTIONS\nsmall  width=200\nweb    width=1600 quality=75");
  const file = join(home, ".config/filemill/presets.json");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const converted = await run("convert", "a.png", "b.webp", "--preset", "web", "--opt", "width=80");
  expect(converted).toMatchObject({ code: 0, out: "", asked: { width: "80", quality: "75" } });
  expect(converted.err).toMatch(/^PAGES_LEFT_OUT: Choose others by --opt pages=all\.\na\.png -> b\.webp \(1 bytes, 1 note, \d+\.\d s\)$/);
  expect((await run("join", "a.png", "b.webp", "c.pdf", "--preset", "small")).asked).toEqual({ width: "200" });
  expect(await run("preset", "remove", "web")).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({ small: { width: "200" } });
});

test("an empty preset list prints a notice on stderr and nothing on stdout", async () => {
  expect(await run("preset", "list")).toMatchObject({ code: 0, out: "", err: expect.stringContaining("No presets yet") });
});

test("converting several files ends with a summary line", async () => {
  await writeFile(join(home, "b.png"), "x");
  const { out, err } = await run("convert", "a.png", "b.png", "--out-dir", "made", "--to", "webp");
  expect(out).toBe("a.png -> made/a.webp\nb.png -> made/b.webp");
  expect(err.split("\n").at(-1)).toMatch(/^2 of 2 files -> made \(2 bytes, 2 notes, \d+\.\d s\)$/);
});

test("an unknown or unreadable preset is an error, and nothing is converted", async () => {
  await run("preset", "save", "small", "--opt", "width=200");
  const mistyped = await run("convert", "a.png", "b.webp", "--preset", "smal");
  expect(mistyped).toMatchObject({ code: 1, err: "BAD_REQUEST: There is no preset smal; did you mean small?", asked: undefined });
  expect((await run("convert", "a.png", "b.webp", "--preset", "toString")).err).toMatch(/^BAD_REQUEST: There is no preset toString;/);
  expect(await run("preset", "save", "../x", "--opt", "a=b")).toMatchObject({ code: 2 });
  expect(await run("preset", "save", "empty")).toMatchObject({ code: 2 });
  for (const text of ["{", "[]", '{"small":{"width":200}}', '{"small":["width"]}']) {
    await writeFile(join(home, ".config/filemill/presets.json"), text);
    const said = await run("convert", "a.png", "b.webp", "--preset", "small");
    expect(said).toMatchObject({ code: 1, err: expect.stringMatching(/^BAD_REQUEST: The presets in .* cannot be read/), asked: undefined });
    // A file that could not be read must never be overwritten.
    expect(await run("preset", "save", "other", "--opt", "a=b")).toMatchObject({ code: 1 });
    expect(await readFile(join(home, ".config/filemill/presets.json"), "utf8")).toBe(text);
  }
});
