/** A missing tool removes its own routes and nothing else. */
import { readFile } from "node:fs/promises";
import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { graphOf } from "#services/catalogue/domain/graph.ts";
import { routesOf } from "#services/catalogue/domain/planner.ts";
import { parseProofFile, proofOf } from "#services/catalogue/domain/proof.ts";
import { engineManifestOf } from "#services/conversion/domain/manifest.ts";
import { engines } from "#services/conversion/engines/registry.ts";

const file = parseProofFile(await readFile(new URL("../../../services/catalogue/proof.tsv", import.meta.url), "utf8"));
const { judge } = proofOf([file]);

/** The engines of each route, by its pair. */
function waysWithout(missing: string): ReadonlyMap<string, readonly string[]> {
  const found = engines.filter(({ id }) => id !== missing && file.engines.has(id));
  const manifest = create(ManifestSchema, {
    node: "here",
    engines: found.map((engine) => engineManifestOf(engine, file.engines.get(engine.id) ?? "")),
  });
  const routes = [...routesOf(graphOf([manifest], judge), judge).values()].flatMap((targets) => [...targets.values()]);
  return new Map(routes.map(({ from, to, hops }) => [`${from}>${to}`, hops.map(({ engine }) => engine)]));
}

const everything = waysWithout("");

it.each(["tesseract", "calibre", "potrace", "djvulibre", "libheif", "poppler"])("a missing %s removes only its own routes", (missing) => {
  const left = waysWithout(missing);
  const pairs = [...everything];
  const untouched = pairs.filter(([, ways]) => !ways.includes(missing));
  expect(untouched.length).toBeLessThan(pairs.length);
  expect(untouched.filter(([pair, ways]) => left.get(pair)?.join() !== ways.join())).toEqual([]);
  expect([...left].filter(([pair, ways]) => ways.includes(missing) || !everything.has(pair))).toEqual([]);
});
