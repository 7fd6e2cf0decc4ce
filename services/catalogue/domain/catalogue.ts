/** Everything that can be answered from one state of the announcements. Computed once per change, read ever after. */
import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { type FormatRow, formatOf, parseFormatId } from "#formats/index.ts";
import {
  type GetCatalogueResponse,
  GetCatalogueResponseSchema,
  type Manifest,
  type Plan,
  PlanSchema,
  type Route,
  RouteSchema,
} from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { FormatSchema } from "#gen/filemill/common/v1/format_pb.ts";
import { FilemillError } from "#kit/errors.ts";
import { compareText, graphOf } from "./graph.ts";
import { parseOptions } from "./options.ts";
import { type FoundRoute, optionsOf, type Routes, routesOf, viaOf } from "./planner.ts";

export type PlanQuery = { readonly from: string; readonly to: string; readonly options: Readonly<Record<string, string>> };

export type Catalogue = {
  readonly routeCount: number;
  /** The published list; built when it is first asked for. */
  list(): GetCatalogueResponse;
  /**
   * The best route with its options.
   *
   * @throws FilemillError UNSUPPORTED_TARGET, UNSUPPORTED_CONVERSION, INVALID_OPTION.
   */
  plan(query: PlanQuery): Plan;
};

export function catalogueOf(manifests: readonly Manifest[]): Catalogue {
  const routes = routesOf(graphOf(manifests));
  const targets = new Set([...routes.values()].flatMap((found) => [...found.keys()]));
  let listed: GetCatalogueResponse | undefined;
  return {
    routeCount: [...routes.values()].reduce((sum, found) => sum + found.size, 0),
    list() {
      listed ??= listOf(routes, targets);
      return listed;
    },
    plan(query) {
      const route = findRoute(routes, targets, query);
      const options = parseOptions(route, query.options);
      const hops = route.hops.map(({ engine, from, to }, index) => ({ engine, from, to, options: options[index] ?? {} }));
      const { from, to, fidelity, async, maxInputMb, lane } = route;
      return create(PlanSchema, { from, to, hops, fidelity, async, maxInputMb, lane });
    },
  };
}

function findRoute(routes: Routes, targets: ReadonlySet<string>, query: PlanQuery): FoundRoute {
  const to = parseFormatId(query.to);
  if (to === undefined || !targets.has(to.id)) {
    const message = "There is no such target format here; GET /api/v1/formats lists what there is.";
    throw new FilemillError("UNSUPPORTED_TARGET", message, { details: { to: query.to.slice(0, 64) } });
  }
  const from = parseFormatId(query.from)?.id ?? query.from.slice(0, 64);
  const found = routes.get(from);
  const route = found?.get(to.id);
  if (route !== undefined) return route;
  const alternatives = alternativesOf(found, to);
  const message = `There is no conversion from ${from} to ${to.id}${alternatives.length === 0 ? "." : `; there is one to ${alternatives.join(", ")}.`}`;
  throw new FilemillError("UNSUPPORTED_CONVERSION", message, { details: { from, to: to.id, alternatives } });
}

/** What people mostly want comes first, among targets of one sort. */
const popular = "pdf docx png jpg mp4 mp3 xlsx html webp txt csv md epub pptx svg wav zip odt json gif".split(" ");

/** At most ten targets: those of the kind that was asked for, then the popular ones, then direct ones. */
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
  const list = [...routes.values()].flatMap((found) => [...found.values()].map(listedRouteOf));
  const ids = new Set([...targets, ...list.map((route) => route.from)]);
  const rows = [...ids].sort(compareText).flatMap((id) => formatOf(id) ?? []);
  const formats = rows.map(({ id, label, kind, extensions, mime }) =>
    create(FormatSchema, { id, label, kind, extensions: [...extensions], mime }),
  );
  return create(GetCatalogueResponseSchema, { revision: revisionOf(rows, list), formats, routes: list });
}

function listedRouteOf(route: FoundRoute): Route {
  const { from, to, fidelity, async, maxInputMb } = route;
  const options = [...optionsOf(route).values()].map(({ option }) => option);
  return create(RouteSchema, {
    from,
    to,
    fidelity,
    async,
    maxInputMb,
    options,
    via: [...viaOf(route)],
    engines: route.hops.map((hop) => hop.engine),
  });
}

function revisionOf(rows: readonly FormatRow[], routes: readonly Route[]): string {
  const hash = createHash("sha256").update(JSON.stringify(rows));
  // Routes share the options of their hops: each is written once, and then named by its number.
  const numbers = new Map<object, number>();
  const numberOf = (option: Route["options"][number]) => {
    const known = numbers.get(option);
    if (known !== undefined) return known;
    hash.update(JSON.stringify(option));
    numbers.set(option, numbers.size);
    return numbers.size - 1;
  };
  for (const { from, to, fidelity, async, maxInputMb, options, via, engines } of routes) {
    hash.update(JSON.stringify([from, to, fidelity, async, maxInputMb, via, engines, options.map(numberOf)]));
  }
  return hash.digest("base64url").slice(0, 22);
}
