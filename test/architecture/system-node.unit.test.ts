/** The set-up of Filemill runs on the system's Node before any other is installed: 18.19 on Ubuntu 24.04, 18.20 on Debian 12. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "#gateway/setup/node.mjs";

/** Not in Node 18.19; most of these are undefined there, which shows only at run time. */
const newer =
  /\bparentPath\b|\bimport\.meta\.(?:dir|file)name\b|\b(?:Map|Object)\.groupBy\b|\.to(?:Sorted|Reversed|Spliced)\(|\bwithResolvers\b|\bAbortSignal\.any\b|\busing [a-z]|\bfs\.glob/;

test("set-up and checks use nothing that the oldest supported Node lacks", () => {
  const folders = ["gateway/setup", "test", "test/checks"].map((folder) => join(root, folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".mjs"))
      .map((name) => join(folder, name)),
  );
  expect(files.length).toBeGreaterThan(15);
  const found = files.flatMap((file) => newer.exec(readFileSync(file, "utf8"))?.map((use) => `${file}: ${use}`) ?? []);
  expect(found).toEqual([]);
});
