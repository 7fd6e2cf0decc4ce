/** Files whose content an archive stores elsewhere or not at all: links to other files, and holes. */
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";
import { archiveEngine } from "#services/conversion/engines/archives/archive.ts";
import { useBench } from "#test/contract/engine.ts";
import { rarFile } from "#test/harness/rar-file.ts";
import { cpioFile } from "#test/harness/tar-file.ts";

const run = promisify(execFile);
const bench = useBench(archiveEngine);
let folder: string;
beforeAll(async () => {
  folder = join(bench.folder, "tree");
  await mkdir(folder);
  await run("/bin/sh", ["-c", "printf same > first; ln first second; chmod 600 first; printf x > other; : > empty"], { cwd: folder });
});

const names = ["empty", "first", "other", "second"];
async function sampleOf(kind: string): Promise<string> {
  const path = join(bench.folder, `links.${kind}`);
  const late = { number: 7, links: 2 };
  const cpio = [
    { name: "other", content: "x" },
    { name: "empty" },
    { name: "first", ...late },
    { name: "second", content: "same", ...late },
  ];
  const rar = [
    { name: "first", content: "same" },
    { name: "second", linksTo: "first" },
    { name: "other", content: "x" },
    { name: "empty" },
  ];
  // With the content in the last of the links, as GNU cpio writes it.
  if (kind === "cpio") await writeFile(path, cpioFile(cpio));
  else if (kind === "rar") await writeFile(path, rarFile(rar));
  else await run("bsdtar", ["-cf", path, `--format=${{ iso: "iso9660", tar: "pax" }[kind] ?? kind}`, ...names], { cwd: folder });
  return path;
}

async function contentsOf(path: string): Promise<Readonly<Record<string, string>>> {
  const unpacked = `${path}.d`;
  await run("7z", ["x", "-y", `-o${unpacked}`, path]);
  const { stdout } = await run("/bin/sh", ["-c", `for each in ${names.join(" ")}; do echo "$each=$(cat $each)"; done`], { cwd: unpacked });
  return Object.fromEntries(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=") as [string, string]),
  );
}

// Each link became an empty file, without a note.
it.each(["cpio", "xar", "iso", "rar", "tar"])("keeps the content of every link to a file of %s", async (from) => {
  const source = await sampleOf(from);
  for (const to of ["zip", "7z", "iso", "tar", "cpio"].filter((each) => each !== from)) {
    const { path, notes } = await bench.convert(source, from, to);
    expect(await contentsOf(path), to).toEqual({ empty: "", first: "same", other: "x", second: "same" });
    expect(
      [...notes.keys()].filter((code) => code !== "NUMBERS_ROUNDED"),
      to,
    ).toEqual([]);
  }
});

// They were said to be damaged, or to fail for an unknown reason.
it.each([
  [{ isLocked: true }, "PASSWORD_REQUIRED"],
  [{ goesOn: true }, "INVALID_INPUT"],
])("tells why a RAR with %o cannot be read", async (kind, code) => {
  const path = join(bench.folder, "told.rar");
  await writeFile(path, rarFile([{ name: "first", content: "same", ...kind }]));
  await expect(bench.convert(path, "rar", "zip")).rejects.toMatchObject({ code, message: expect.not.stringContaining("damaged") });
});

it("refuses a RAR with references instead of files, and notes its comment", async () => {
  const path = join(bench.folder, "references.rar");
  await writeFile(
    path,
    rarFile([
      { name: "first", content: "same" },
      { name: "second", copies: "first" },
    ]),
  );
  await expect(bench.convert(path, "rar", "zip")).rejects.toMatchObject({
    code: "CONVERSION_FAILED",
    message: expect.stringContaining("references"),
  });
  await writeFile(path, rarFile([{ name: "first", content: "same" }], "about"));
  expect((await bench.convert(path, "rar", "zip")).notes.get("METADATA_DROPPED")).toContain("Comments");
});

// They were called names or files that the target cannot store.
it.each([
  ["gnu", 5],
  ["posix", 5],
  ["gnu", 0],
])("keeps the hole at the end of a file in a TAR: %s, after %i bytes", async (format, length) => {
  const sparse = join(folder, "sparse");
  await writeFile(sparse, "x".repeat(length));
  await run("truncate", ["-s", "300000", sparse]);
  const path = join(bench.folder, `sparse-${format}-${length}.tar`);
  await run("tar", ["-S", `--format=${format}`, "-cf", path, "sparse"], { cwd: folder });
  for (const to of ["zip", "7z", "tgz"]) {
    const made = (await bench.convert(path, "tar", to)).path;
    const { stdout } = await run("bsdtar", ["-xOf", made, "sparse"]);
    expect([stdout.length, stdout.slice(0, length), /[^\0]/.test(stdout.slice(length))], to).toEqual([300_000, "x".repeat(length), false]);
  }
});

// Everything in a disc image became readable for everyone and belonged to the administrator.
it("keeps permissions and owners in a disc image", async () => {
  const path = join(bench.folder, "owned.tar");
  await run("bsdtar", ["-cf", path, "--uid", "7", "--gid", "8", "first"], { cwd: folder });
  const made = (await bench.convert(path, "tar", "iso")).path;
  expect((await run("bsdtar", ["-tvf", made, "first"])).stdout).toMatch(/^-rw-------\s+1 7\s+8\s/);
});
