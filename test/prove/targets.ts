/** What can be proven: every hop of every installed engine, and every route that would be listed if it were proven. */
import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { systemPackages } from "#gateway/setup/system-packages.mjs";
import { type EngineManifest, ManifestSchema } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { type Graph, graphOf, graphWithout } from "#services/catalogue/domain/graph.ts";
import { routesOf } from "#services/catalogue/domain/planner.ts";
import { type HopName, hopsOfPath, type Judge, keyOf, type ProofRow, pathOf } from "#services/catalogue/domain/proof.ts";
import type { EngineStatus } from "#services/conversion/domain/converter.ts";
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";

export type Target = { readonly from: string; readonly to: string; readonly hops: readonly HopName[] };

/** Known rows by path key. */
export type Known = ReadonlyMap<string, ProofRow>;

export function targetKey({ from, to, hops }: Target): string {
  return keyOf({ from, to, path: pathOf(hops) });
}

/** The target of a row. */
export function targetOf({ from, to, path }: ProofRow): Target {
  return { from, to, hops: hopsOfPath({ from, to, path }) };
}

export function directTargets(engines: readonly EngineStatus[]): readonly Target[] {
  return engines.flatMap(({ id, hops }) => hops.map(({ from, to }) => ({ from, to, hops: [{ engine: id, from, to }] })));
}

/**
 * Multi-hop routes that the planner would choose on current knowledge: failed ones are
 * excluded, untried ones count as proven. To be called again until it returns nothing new.
 */
export function plannedTargets(manifests: readonly EngineManifest[], known: Known): readonly Target[] {
  const judge: Judge = (hops) => known.get(keyOf({ ...endsOf(hops), path: pathOf(hops) }))?.word ?? "declared";
  const graph = graphOf([create(ManifestSchema, { node: "prove", engines: [...manifests] })], judge);
  const found = new Map<string, Target>();
  for (const usable of [graph, everydayOf(graph, manifests)]) {
    for (const { hops } of [...routesOf(usable, judge).values()].flatMap((targets) => [...targets.values()])) {
      const target = { ...endsOf(hops), hops: hops.map(({ engine, from, to }) => ({ engine, from, to })) };
      if (hops.length > 1) found.set(targetKey(target), target);
    }
  }
  return [...found.values()];
}

function endsOf(hops: readonly HopName[]): { readonly from: string; readonly to: string } {
  return { from: hops[0]?.from ?? "", to: hops.at(-1)?.to ?? "" };
}

let everyday: ReadonlySet<string> | undefined;

/** Records which engines a machine with only the everyday packages has. */
export function noteEveryday(engines: readonly EngineStatus[]): void {
  const names = new Set(systemPackages.map((row) => row.package));
  everyday = new Set(engines.filter(({ packages }) => packages.every((name) => names.has(name))).map(({ id }) => id));
}

function everydayOf(graph: Graph, manifests: readonly EngineManifest[]): Graph {
  const ids = everyday ?? new Set(manifests.map(({ id }) => id));
  return graphWithout(graph, ({ engine }) => !ids.has(engine));
}

/**
 * The part of a hop's declaration that affects a conversion with default options, which is what was
 * executed: a new option that is off changes nothing. Changes in the engine's code are for `--changed`.
 */
export function declarationsOf(engines: readonly EngineStatus[]): (hop: HopName) => string {
  const hashes = new Map<string, string>();
  for (const { id, hops } of engines) {
    for (const { from, to, fidelity, options } of hops) {
      const defaults = options.filter((option) => !isOff(option.default)).map((option) => [option.name, option.default]);
      hashes.set(`${id} ${from} ${to}`, hashOf(JSON.stringify([fidelity, defaults])));
    }
  }
  return ({ engine, from, to }) => hashes.get(`${engine} ${from} ${to}`) ?? "";
}

function isOff(value: OptionDefinition["default"]): boolean {
  return value === undefined || value === false || Number(value) === 0;
}

export function declaredHash(target: Target, declared: (hop: HopName) => string): string {
  const [first = "", ...rest] = target.hops.map(declared);
  return rest.length === 0 ? first : hashOf([first, ...rest].join(" "));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 6);
}
