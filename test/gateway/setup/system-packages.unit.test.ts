import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  allPackages,
  judgePackages,
  missingPackages,
  systemPackages,
  testPackages,
  wantedPackages,
} from "#gateway/setup/system-packages.mjs";
import { engines } from "#services/conversion/engines/registry.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-system-"));
  await mkdir(join(folder, "fonts/truetype/dejavu"), { recursive: true });
  await writeFile(join(folder, "fonts/truetype/dejavu/Sans.ttf"), "");
  await writeFile(join(folder, "tool"), "#!/bin/sh\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const row = (found: object) => ({ package: "x", for: "a test", ...found });

test("finds a file by its path, where * matches any part of a name", () => {
  const isMissing = (...files: string[]) => missingPackages([row({ files: files.map((file) => join(folder, file)) })]).length === 1;
  expect(isMissing("fonts/truetype/dejavu/Sans.ttf")).toBe(false);
  expect(isMissing("nowhere/Sans.ttf", "fonts/*/deja*/Sans.ttf")).toBe(false);
  expect(isMissing("fonts/*/dejavu/Serif.ttf")).toBe(true);
  expect(isMissing("fonts/*/Sans.ttf")).toBe(true);
  // A dot is literal.
  expect(isMissing("fonts/*/dejavu/S*s-ttf")).toBe(true);
});

test("finds an executable command on the search path", async () => {
  const before = process.env.PATH;
  process.env.PATH = folder;
  try {
    expect(missingPackages([row({ command: "tool" })])).toHaveLength(1);
    await chmod(join(folder, "tool"), 0o755);
    expect(missingPackages([row({ command: "tool" })])).toHaveLength(0);
  } finally {
    process.env.PATH = before;
  }
});

test("the table contains every package that an engine declares", () => {
  const named = new Set(allPackages.map((entry) => entry.package));
  expect(engines.flatMap((engine) => engine.packages).filter((name) => !named.has(name))).toEqual([]);
});

test("every row has exactly one way of detection", () => {
  for (const entry of [...allPackages, ...testPackages, ...judgePackages])
    expect([entry.command, entry.files, entry.office].filter((way) => way !== undefined)).toHaveLength(1);
});

test("installs all engines if a flag or the setting asks for it", () => {
  const before = process.env.ALL_ENGINES;
  try {
    delete process.env.ALL_ENGINES;
    expect(wantedPackages(["--open"])).toEqual({ packages: systemPackages, rest: ["--open"] });
    expect(wantedPackages(["--open", "--all-engines"])).toEqual({ packages: allPackages, rest: ["--open"] });
    process.env.ALL_ENGINES = "true";
    expect(wantedPackages([]).packages).toEqual(allPackages);
  } finally {
    if (before === undefined) delete process.env.ALL_ENGINES;
    else process.env.ALL_ENGINES = before;
  }
  expect(allPackages.length).toBeGreaterThan(systemPackages.length);
});
