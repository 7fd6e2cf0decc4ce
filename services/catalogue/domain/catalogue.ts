/** Everything that follows from one state of the announcements. Computed once per change, then only read. */
import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { FilemillError } from "#contract/errors.ts";
import { type FormatRow, formatOf, parseFormatId } from "#formats/index.ts";
import {
  type GetCatalogueResponse,
  GetCatalogueResponseSchema,
  type GetRouteResponse,
  GetRouteResponseSchema,
  type Manifest,
  OptionSetSchema,
  type Plan,
  PlanSchema,
  type Route,
  RouteHopSchema,
  RouteProofSchema,
  RouteSchema,
} from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { FormatSchema } from "#gen/filemill/common/v1/format_pb.ts";
import { didYouMean, nearestIds, suggestionsOf } from "#kit/nearest-names.ts";
import { expectedNotesOf } from "./expected-notes.ts";
import { compareText, type Graph, graphOf, graphWithout } from "./graph.ts";
import { createOptionSets, type OptionSets } from "./option-pool.ts";
import { type HopOptions, parseOptions } from "./options.ts";
import { type FoundRoute, optionsOf, type Routes, routesBetween, routesOf, viaOf } from "./planner.ts";
import type { Proof, ProofRow } from "./proof.ts";
import { resultFormatOf } from "./several-results.ts";

type HopName = { readonly engine: string; readonly from: string; readonly to: string };
export type PlanQuery = {
  readonly from: string;
  readonly to: string;
  readonly options: Readonly<Record<string, string>>;
  /** Hops that failed for this file. The best route without them is chosen. */
  readonly avoid?: readonly HopName[];
};

export type Catalogue = {
  readonly routeCount: number;
  /** The published list. Built on first use. */
  list(): GetCatalogueResponse;
  /** @throws FilemillError UNSUPPORTED_TARGET, UNSUPPORTED_CONVERSION. */
  route(query: Pick<PlanQuery, "from" | "to">): GetRouteResponse;
  /**
   * The best route with its options.
   *
   * @throws FilemillError UNSUPPORTED_TARGET, UNSUPPORTED_CONVERSION, INVALID_OPTION; UNAVAILABLE if there are no routes at all.
   */
  plan(query: PlanQuery): Plan;
};

/** Contains only proven routes, or everything announced if there is no proof. */
export function catalogueOf(manifests: readonly Manifest[], proof?: Proof): Catalogue {
  const graph = graphOf(manifests, proof?.judge);
  const routes = routesOf(graph, proof?.judge);
  const targets = new Set([...routes.values()].flatMap((found) => [...found.keys()]));
  let listed: GetCatalogueResponse | undefined;
  return {
    routeCount: [...routes.values()].reduce((sum, found) => sum + found.size, 0),
    list() {
      listed ??= listOf(routes, targets);
      return listed;
    },
    route: (query) => describedRouteOf(findRoute(routes, targets, query), proof),
    plan(query) {
      const route = findRoute(routes, targets, query);
      const { avoid = [] } = query;
      if (avoid.length > 0) return nextBestPlan(graph, route, query.options, avoid);
      return { ...planOf(route, parseOptions(route, query.options)), provenMs: Math.round(proof?.rowOf(route.hops)?.ms ?? 0) };
    },
  };
}

function planOf(route: FoundRoute, options: readonly HopOptions[]): Plan {
  const hops = route.hops.map(({ engine, from, to }, index) => ({ engine, from, to, options: options[index] ?? {} }));
  const { from, to, fidelity, async, maxInputMb, lane } = route;
  return create(PlanSchema, { from, to, hops, fidelity, async, maxInputMb, lane, resultFormat: resultFormatOf(route, options) });
}

/** A route that lacks one of the requested options is no alternative: its result would differ. */
function nextBestPlan(graph: Graph, { from, to }: FoundRoute, raw: PlanQuery["options"], avoid: readonly HopName[]): Plan {
  const isAvoided = (hop: HopName): boolean =>
    avoid.some(({ engine, from, to }) => hop.engine === engine && hop.from === from && hop.to === to);
  for (const route of routesBetween(graphWithout(graph, isAvoided), from, to)) {
    const options = acceptedOptions(route, raw);
    if (options !== undefined) return planOf(route, options);
  }
  throw new FilemillError("UNSUPPORTED_CONVERSION", `There is no other route from ${from} to ${to}.`, {
    details: { from, to, alternatives: [] },
  });
}

function acceptedOptions(route: FoundRoute, raw: PlanQuery["options"]): readonly HopOptions[] | undefined {
  try {
    return parseOptions(route, raw);
  } catch (error) {
    if (error instanceof FilemillError && error.code === "INVALID_OPTION") return undefined;
    throw error;
  }
}

function findRoute(routes: Routes, targets: ReadonlySet<string>, query: Pick<PlanQuery, "from" | "to">): FoundRoute {
  // No routes at all says nothing about this request: every node may have lost its connection to the broker.
  if (routes.size === 0) throw new FilemillError("UNAVAILABLE", "No engine is available right now; try again.", { retryAfterMs: 5000 });
  const to = parseFormatId(query.to);
  if (to === undefined || !targets.has(to.id)) {
    // A known format that cannot be written is not a typo.
    const near = to === undefined ? nearestIds(query.to, rowsOf(targets)) : [];
    const message = `There is no such target format here${didYouMean(near, "; GET /api/v1/formats lists them all.")}`;
    throw new FilemillError("UNSUPPORTED_TARGET", message, { details: { to: query.to.slice(0, 64), ...suggestionsOf(near) } });
  }
  const source = parseFormatId(query.from);
  const from = source?.id ?? query.from.slice(0, 64);
  const found = routes.get(from);
  const route = found?.get(to.id);
  if (route !== undefined) return route;
  const alternatives = alternativesOf(found, to);
  const near = source === undefined ? nearestIds(query.from, rowsOf(routes.keys())) : [];
  const others = alternatives.length === 0 ? "." : `; there is one to ${alternatives.join(", ")}.`;
  const isUnread = source !== undefined && alternatives.length === 0;
  const message = isUnread
    ? `This is ${source.label} (${source.id}), which no engine here can read.`
    : `There is no conversion from ${from} to ${to.id}${didYouMean(near, others)}`;
  throw new FilemillError("UNSUPPORTED_CONVERSION", message, { details: { from, to: to.id, alternatives, ...suggestionsOf(near) } });
}

function rowsOf(ids: Iterable<string>): readonly FormatRow[] {
  return [...ids].flatMap((id) => formatOf(id) ?? []);
}

/** Popular targets come first within their group. */
const popular = "pdf docx png jpg mp4 mp3 xlsx html webp txt csv md epub pptx svg wav zip odt json gif".split(" ");

/** At most ten targets: those of the requested kind first, then popular ones, then direct ones. */
function alternativesOf(found: ReadonlyMap<string, FoundRoute> | undefined, wanted: FormatRow): string[] {
  const rank = (id: string) => {
    const place = popular.indexOf(id);
    return place < 0 ? popular.length : place;
  };
  const isOther = (id: string) => Number(formatOf(id)?.kind !== wanted.kind);
  return [...(found?.values() ?? [])]
    .sort((a, b) => isOther(a.to) - isOther(b.to) || rank(a.to) - rank(b.to) || a.hops.length - b.hops.length || compareText(a.to, b.to))
    .slice(0, 10)
    .map((route) => route.to);
}

function listOf(routes: Routes, targets: ReadonlySet<string>): GetCatalogueResponse {
  const sets = createOptionSets();
  const list = [...routes.values()].flatMap((found) => [...found.values()].map((route) => listedRouteOf(route, sets)));
  const ids = new Set([...targets, ...list.map((route) => route.from)]);
  const rows = [...ids].sort(compareText).flatMap((id) => formatOf(id) ?? []);
  const formats = rows.map(({ id, label, kind, extensions, mime }) =>
    create(FormatSchema, { id, label, kind, extensions: [...extensions], mime }),
  );
  const optionSets = sets.list().map((options) => create(OptionSetSchema, { options: [...options] }));
  return create(GetCatalogueResponseSchema, { revision: revisionOf(rows, list, sets), formats, routes: list, optionSets });
}

function listedRouteOf(route: FoundRoute, sets: OptionSets): Route {
  return create(RouteSchema, { ...routeFactsOf(route), optionSet: sets.numberOf(declaredOptionsOf(route)) });
}

function routeFactsOf(route: FoundRoute) {
  const { from, to, fidelity, async, maxInputMb, hops } = route;
  return { from, to, fidelity, async, maxInputMb, via: [...viaOf(route)], engines: hops.map((hop) => hop.engine) };
}

function declaredOptionsOf(route: FoundRoute): Route["options"] {
  return [...optionsOf(route).values()].map(({ option }) => option);
}

function describedRouteOf(route: FoundRoute, proof: Proof | undefined): GetRouteResponse {
  const hops = route.hops.map(({ engine, label, versions, from, to, fidelity }) =>
    create(RouteHopSchema, { engine, label, version: versions.join(", "), from, to, fidelity }),
  );
  const described = create(RouteSchema, { ...routeFactsOf(route), options: declaredOptionsOf(route) });
  const row = proof?.rowOf(route.hops);
  return create(GetRouteResponseSchema, {
    route: described,
    hops,
    lane: route.lane,
    expectedNotes: [...expectedNotesOf(route.hops)],
    ...(row === undefined ? {} : { proof: measuredOf(row) }),
  });
}

function revisionOf(rows: readonly FormatRow[], routes: readonly Route[], sets: OptionSets): string {
  const hash = createHash("sha256").update(JSON.stringify([rows, sets.list()]));
  for (const { from, to, fidelity, async, maxInputMb, optionSet, via, engines } of routes) {
    hash.update(JSON.stringify([from, to, fidelity, async, maxInputMb, via, engines, optionSet]));
  }
  return hash.digest("base64url").slice(0, 22);
}

function measuredOf({ figures, reader, sample, ms, date }: ProofRow) {
  return create(RouteProofSchema, { figures: { ...figures }, reader, sample, ms, date });
}
