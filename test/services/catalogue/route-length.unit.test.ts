import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { Fidelity } from "#gen/filemill/common/v1/format_pb.ts";
import { catalogueOf } from "#services/catalogue/domain/catalogue.ts";
import { measuredWords, wordOf } from "#services/catalogue/domain/fidelity-rule.ts";
import { graphOf } from "#services/catalogue/domain/graph.ts";
import { mayServe } from "#services/catalogue/domain/passages.ts";
import { optionsOf, type Routes, routesOf, viaOf } from "#services/catalogue/domain/planner.ts";
import { type Judge, parseProofFile, proofOf } from "#services/catalogue/domain/proof.ts";
import { engineManifestOf } from "#services/conversion/domain/manifest.ts";
import { engines } from "#services/conversion/engines/registry.ts";
import { manifestOf } from "./manifests.ts";

const text = readFileSync(new URL("../../../services/catalogue/proof.tsv", import.meta.url), "utf8");
const file = parseProofFile(text);
const proof = proofOf([file]);
const manifest = create(ManifestSchema, {
  node: "here",
  engines: engines.map((engine) => engineManifestOf(engine, file.engines.get(engine.id) ?? "not proven")),
});
const graph = graphOf([manifest], proof.judge);
const routes = routesOf(graph, proof.judge);

describe("the proven routes of all engines", () => {
  it("are longer than a direct hop only where they measure better", () => {
    const longer: string[] = [];
    for (const route of [...routes.values()].flatMap((found) => [...found.values()])) {
      const direct = graph.get(route.from)?.get(route.to)?.[0];
      if (direct === undefined || route.hops.length === 1) continue;
      const [taken, left] = [proof.rowOf(route.hops), proof.rowOf([direct])];
      if (taken === undefined || left === undefined) throw new Error(`${route.from} to ${route.to} is listed without a proof.`);
      const [takenWord, leftWord] = [wordOf(taken.figures, taken.reader), wordOf(left.figures, left.reader)];
      if (measuredWords.indexOf(takenWord) >= measuredWords.indexOf(leftWord))
        longer.push(`${route.from} > ${viaOf(route).join(" > ")} > ${route.to}`);
    }
    expect(routes.size).toBeGreaterThan(300);
    expect(longer).toEqual([]);
  });

  it("are the same when planned from only the hops and proofs that may be on the way", () => {
    const pairs = [...routes].flatMap(([from, found]) =>
      [...found.values()].filter(({ hops }) => hops.length > 1).map(({ to }) => ({ from, to })),
    );
    const whole = catalogueOf([manifest], proof);
    const sampled = pairs.filter((_, index) => index % Math.ceil(pairs.length / 30) === 0);
    expect(sampled.length).toBeGreaterThan(20);
    for (const pair of [...sampled, { from: "png", to: "webp" }, { from: "jpg", to: "jpeg" }]) {
      const serves = mayServe(pair);
      const near = manifest.engines.map((engine) => ({ ...engine, hops: engine.hops.filter(({ from, to }) => serves(from, to)) }));
      const nearProof = proofOf([parseProofFile(text, serves)]);
      const query = { ...pair, options: {} };
      expect(catalogueOf([{ ...manifest, engines: near }], nearProof).plan(query)).toEqual(whole.plan(query));
    }
  });

  it.each(["png", "webp"])("convert %s to JPEG with sharp alone, without the options of an intermediate format", (from) => {
    const route = routes.get(from)?.get("jpg");
    expect(route?.hops.map(({ engine }) => engine)).toEqual(["sharp"]);
    expect(route?.fidelity).toBe(Fidelity.REDUCED);
    expect(route === undefined ? [] : [...optionsOf(route).keys()]).not.toContain("compression");
  });

  it("are reduced if transparency is lost, whatever lies between", () => {
    const words = ["png", "webp", "tga", "psd", "dds", "sgi"].map((from) => [from, routes.get(from)?.get("jpg")?.fidelity]);
    expect(words.filter(([, fidelity]) => fidelity !== Fidelity.REDUCED)).toEqual([]);
  });
});

describe("a longer route", () => {
  const hops = { "png>jpg": { fidelity: "REDUCED" }, "png>tiff": { fidelity: "LOSSLESS" }, "tiff>jpg": {} } as const;
  const listed = (words: Record<string, ReturnType<Judge>>): Routes => {
    const judge: Judge = (way) => words[way.map(({ from, to }) => `${from}>${to}`).join(" ")] ?? "lossless";
    return routesOf(graphOf([manifestOf("n1", { sharp: { hops } })], judge), judge);
  };
  const wayTo = (found: Routes, to: string) => found.get("png")?.get(to)?.hops.length;

  it("is not taken if it measures the same, whatever its engines declare", () => {
    expect(wayTo(listed({ "png>jpg": "high", "png>tiff tiff>jpg": "high" }), "jpg")).toBe(1);
  });

  it("is not taken for its figures if the target loses transparency", () => {
    expect(wayTo(listed({ "png>jpg": "high", "png>tiff tiff>jpg": "lossless" }), "jpg")).toBe(1);
  });

  it("is taken if it measures better and the target can hold what the source has", () => {
    const kept = { "png>webp": { fidelity: "REDUCED" }, "png>tiff": { fidelity: "LOSSLESS" }, "tiff>webp": {} } as const;
    const judge: Judge = (way) => (way.length === 1 && way[0]?.to === "webp" && way[0].from === "png" ? "reduced" : "high");
    const found = routesOf(graphOf([manifestOf("n1", { sharp: { hops: kept } })], judge), judge);
    expect(wayTo(found, "webp")).toBe(2);
  });
});
