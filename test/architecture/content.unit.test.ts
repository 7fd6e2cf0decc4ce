/** What understands a file's content runs in sandboxes alone (decision 34). */
import { expect, test } from "vitest";
import { readTree } from "./source-tree.ts";

/** Readers of content. */
const readers = ["services/formats/sniff/", "services/conversion/domain/guards/", "services/conversion/inspectors/inside/"];
/** Where processes begin that serve, or that convert on the command line. */
const mains = /^(gateway\/main\.ts|gateway\/cli\/main\.ts|services\/[a-z]+\/main\.ts)$/;

const sources = new Map(readTree("services", "gateway", "gen").map((file) => [file.path, file]));
const isReader = (path: string): boolean => readers.some((folder) => path.startsWith(folder));

/** What a file loads, and how one gets there. */
function reachedFrom(starts: readonly string[]): ReadonlyMap<string, string> {
  const ways = new Map(starts.map((path) => [path, path]));
  for (const [path, way] of ways) {
    for (const { file } of sources.get(path)?.loads ?? []) if (file !== undefined && !ways.has(file)) ways.set(file, `${way} > ${file}`);
  }
  return ways;
}

test("nothing that reads content is loaded by a process that serves", () => {
  const starts = [...sources.keys()].filter((path) => mains.test(path));
  expect(starts.length).toBeGreaterThan(5);
  const reached = reachedFrom(starts);
  expect(reached.size).toBeGreaterThan(200);
  expect([...reached].filter(([path]) => isReader(path)).map(([, way]) => way)).toEqual([]);
});

test("an inspector loads what reads content", () => {
  const reached = reachedFrom(["services/conversion/inspectors/inside/serve.ts"]);
  for (const folder of readers)
    expect(
      [...reached.keys()].some((path) => path.startsWith(folder)),
      folder,
    ).toBe(true);
});
