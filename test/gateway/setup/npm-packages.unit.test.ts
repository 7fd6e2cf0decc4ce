import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { npmPackagesAreCurrent, systemPath } from "#gateway/setup/npm-packages.mjs";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "filemill-npm-"));
  await mkdir(join(root, "node_modules"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const write = (file: string, packages: object) => writeFile(join(root, file), JSON.stringify({ packages }));
const locked = {
  "": { version: "1.0.0" },
  "node_modules/a": { version: "1.0.0" },
  "node_modules/b-darwin": { version: "2.0.0", optional: true },
};

describe("the installed npm packages", () => {
  test("are current if all but those of other platforms match the lockfile", async () => {
    await write("package-lock.json", locked);
    await write("node_modules/.package-lock.json", { "node_modules/a": { version: "1.0.0" } });
    expect(npmPackagesAreCurrent(root)).toBe(true);
  });

  test.each([
    ["of another version", { "node_modules/a": { version: "1.0.1" } }],
    ["missing", {}],
    ["of another version and optional", { "node_modules/a": { version: "1.0.0" }, "node_modules/b-darwin": { version: "1.9.9" } }],
  ])("are outdated if one is %s", async (_, installed) => {
    await write("package-lock.json", locked);
    await write("node_modules/.package-lock.json", installed);
    expect(npmPackagesAreCurrent(root)).toBe(false);
  });

  test("may lack development packages if no tests are run, but not have other versions of them", async () => {
    await write("package-lock.json", { ...locked, "node_modules/c": { version: "3.0.0", dev: true } });
    await write("node_modules/.package-lock.json", { "node_modules/a": { version: "1.0.0" } });
    expect([npmPackagesAreCurrent(root, false), npmPackagesAreCurrent(root, true)]).toEqual([true, false]);
    await write("node_modules/.package-lock.json", { "node_modules/a": { version: "1.0.0" }, "node_modules/c": { version: "2.9.9" } });
    expect(npmPackagesAreCurrent(root, false)).toBe(false);
  });

  test("are outdated if an installation did not finish or its record is damaged", async () => {
    await write("package-lock.json", locked);
    expect(npmPackagesAreCurrent(root)).toBe(false);
    await writeFile(join(root, "node_modules/.package-lock.json"), "{");
    expect(npmPackagesAreCurrent(root)).toBe(false);
  });
});

test("npm runs with the system's Node, not the one that it is about to remove", () => {
  expect(systemPath("/app/node_modules/.bin:/usr/bin:/other/node_modules/.bin:/bin")).toBe("/usr/bin:/bin");
});
