/** Code that parses file content runs only in sandboxes (decision 34). */
import { expect, test } from "vitest";
import { readTree } from "./source-tree.ts";

/** Parsers of content. */
const readers = ["services/formats/sniff/", "services/conversion/domain/guards/", "services/conversion/inspectors/inside/"];
/** Entry points of processes that serve requests or convert on the command line. */
const mains = /^(gateway\/main\.ts|gateway\/cli\/main\.ts|services\/[a-z]+\/main\.ts)$/;

const sources = new Map(readTree("services", "gateway", "gen").map((file) => [file.path, file]));
const isReader = (path: string): boolean => readers.some((folder) => path.startsWith(folder));

/** Files loaded by an entry point, and the import path to each. */
function reachedFrom(starts: readonly string[]): ReadonlyMap<string, string> {
  const ways = new Map(starts.map((path) => [path, path]));
  for (const [path, way] of ways) {
    for (const { file } of sources.get(path)?.loads ?? []) if (file !== undefined && !ways.has(file)) ways.set(file, `${way} > ${file}`);
  }
  return ways;
}

test("no serving process loads code that parses content", () => {
  const starts = [...sources.keys()].filter((path) => mains.test(path));
  expect(starts.length).toBeGreaterThan(5);
  const reached = reachedFrom(starts);
  expect(reached.size).toBeGreaterThan(200);
  expect([...reached].filter(([path]) => isReader(path)).map(([, way]) => way)).toEqual([]);
});

test("an inspector loads the code that parses content", () => {
  const reached = reachedFrom(["services/conversion/inspectors/inside/serve.ts"]);
  for (const folder of readers)
    expect(
      [...reached.keys()].some((path) => path.startsWith(folder)),
      folder,
    ).toBe(true);
});

/** Engines that open files in the main process, which only move bytes or read trusted files. */
const movers: Readonly<Record<string, string>> = {
  "documents/calibre.ts": "reads the version in calibre's own program",
  "media/fluidsynth.ts": "writes two lengths into a header of fixed form",
  "pdf/pdf-drawings.ts": "hands pictures that a tool drew over to our reader of PDFs",
  "pictures/exif-upright.ts": "writes bytes that an inspector named",
  "pictures/icnsutils.ts": "copies a piece that an inspector named",
  "shared/ask-inspector.ts": "writes what an inspector answers",
  "shared/child-engine.ts": "hands files over to its children and back",
  "shared/copy-pieces.ts": "copies pieces that an inspector named",
  "shared/jpeg-page.ts": "copies a picture into a document",
  "shared/node-worker.ts": "reads the packages' own manifests",
  "shared/tool-run.ts": "makes sure that a result is a plain file",
};

test("no other engine opens files in a serving process", () => {
  const opening = new Set(["*", "open", "openSync", "read", "readSync", "readFile", "readFileSync", "createReadStream"]);
  const found = [...sources.values()]
    .filter(({ path, importedNames }) => {
      const isEngine = path.startsWith("services/conversion/engines/") && !path.startsWith("services/conversion/engines/inside/");
      return isEngine && path.endsWith(".ts") && importedNames.some(({ module, name }) => /^node:fs/.test(module) && opening.has(name));
    })
    .map(({ path }) => path.slice("services/conversion/engines/".length));
  expect(found.toSorted()).toEqual(Object.keys(movers));
});
