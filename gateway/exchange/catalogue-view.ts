import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { GatewayDeps } from "#gateway/context.ts";
import type { Encoding } from "#gateway/http/accept.ts";
import type { GetCatalogueResponse, Route } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import type { Format, Option } from "#gen/filemill/common/v1/format_pb.ts";
import { Fidelity, Option_Type } from "#gen/filemill/common/v1/format_pb.ts";

const FRESH_MS = 1000;
const STALE_MS = 30_000;
/** Takes half a second for a large catalogue, once per change. The highest level would take ten times as long. */
const BROTLI_QUALITY = 9;

/** GET /formats in one encoding: bytes and strong ETag. */
export type Representation = { readonly body: Buffer; readonly etag: string };

/** The facts kept per route. Keeping all routes as messages would take tens of megabytes. */
export type RouteFacts = Pick<Route, "async" | "maxInputMb">;

/** A listed format, with the number of conversions from it (`targets`) and to it (`sources`). */
export type FormatFacts = ReturnType<typeof formatJson> & { readonly targets: number; readonly sources: number };

/** One revision of the catalogue, prepared for the gateway. */
export type CatalogueView = {
  readonly revision: string;
  readonly representations: Readonly<Record<Encoding, Representation>>;
  readonly counts: { readonly formats: number; readonly conversions: number };
  readonly formats: readonly FormatFacts[];
  /** Names of the options of all conversions. */
  readonly optionNames: ReadonlySet<string>;
  /** The conversions from a format as comma-separated JSON, cut from the document; undefined if there are none. */
  conversionsFrom(from: string): Buffer | undefined;
  /** The facts of the route between two format ids. */
  routeOf(from: string, to: string): RouteFacts | undefined;
};

export type CatalogueViews = {
  /** At most one second old unless the catalogue cannot be reached. Rejects if it was never read. */
  current(): Promise<CatalogueView>;
  /** The last known view without waiting; renewed in the background. Good for hints only. */
  known(): CatalogueView | undefined;
};

/** Reads the catalogue on demand. Serialises, compresses and hashes it once per revision. */
export function createCatalogueViews(catalogue: GatewayDeps["catalogue"]): CatalogueViews {
  let latest: CatalogueView | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<CatalogueView> | undefined;
  const read = async (): Promise<CatalogueView> => {
    const answer = await catalogue.getCatalogue({ knownRevision: latest?.revision ?? "" });
    if (latest?.revision !== answer.revision) latest = await viewOf(answer);
    readAt = performance.now();
    return latest;
  };
  const renew = (): Promise<CatalogueView> => {
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  return {
    async current() {
      // An empty catalogue is never served from the cache, because it is the one of a start: engines are announced moments later.
      if (latest !== undefined && latest.counts.conversions > 0 && performance.now() - readAt < FRESH_MS) return latest;
      try {
        return await renew();
      } catch (error) {
        if (latest === undefined) throw error;
        return latest;
      }
    },
    known() {
      if (performance.now() - readAt > STALE_MS) renew().catch(() => {});
      return latest;
    },
  };
}

async function viewOf(answer: GetCatalogueResponse): Promise<CatalogueView> {
  const { json, spans } = jsonOf(answer);
  const digest = createHash("sha256").update(json).digest("hex").slice(0, 32);
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(json, {
      params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: json.length },
    }),
    promisify(gzip)(json, { level: 9 }),
  ]);
  const routes = new Map(answer.routes.map(({ from, to, async, maxInputMb }) => [`${from}>${to}`, { async, maxInputMb }]));
  const counts = { formats: answer.formats.length, conversions: answer.routes.length };
  return {
    revision: answer.revision,
    representations: {
      identity: { body: json, etag: `"${digest}"` },
      br: { body: br, etag: `"${digest}-br"` },
      gzip: { body: gz, etag: `"${digest}-gz"` },
    },
    counts,
    formats: formatFactsOf(answer),
    optionNames: new Set(answer.optionSets.flatMap(({ options }) => options.map(({ name }) => name))),
    conversionsFrom(from) {
      const span = spans.get(from);
      return span === undefined ? undefined : json.subarray(...span);
    },
    routeOf: (from, to) => routes.get(`${from}>${to}`),
  };
}

/**
 * Builds the document and records where the conversions from each format are in it. Assembled by hand, because thousands of routes share a
 * set of options, and each set is serialised only once.
 */
function jsonOf({ formats, routes, optionSets }: GetCatalogueResponse): {
  json: Buffer;
  spans: ReadonlyMap<string, readonly [start: number, end: number]>;
} {
  const sets = optionSets.map(({ options }) => JSON.stringify(options.map(optionJson)));
  const head = Buffer.from(`{"formats":${JSON.stringify(formats.map(formatJson))},"conversions":[`);
  const pieces = [head];
  const spans = new Map<string, readonly [number, number]>();
  let end = head.length;
  for (const [from, group] of Map.groupBy(routes, (route) => route.from)) {
    const comma = spans.size === 0 ? "" : ",";
    const piece = Buffer.from(comma + group.map((route) => conversionText(route, sets[route.optionSet] ?? "[]")).join(","));
    pieces.push(piece);
    spans.set(from, [end + comma.length, end + piece.length]);
    end += piece.length;
  }
  pieces.push(Buffer.from("]}"));
  return { json: Buffer.concat(pieces), spans };
}

/** The same as an object, for a catalogue that is needed only once. */
export function listedOf({ formats, routes, optionSets }: GetCatalogueResponse) {
  const sets = optionSets.map(({ options }) => options.map(optionJson));
  const conversions = routes.map(({ from, to, fidelity, async, maxInputMb, optionSet }) => ({
    ...{ from, to, fidelity: fidelityWordOf(fidelity), async, maxInputMb },
    options: sets[optionSet] ?? [],
  }));
  return { formats: formats.map(formatJson), conversions };
}

function conversionText({ from, to, fidelity, async, maxInputMb }: Route, options: string): string {
  const facts = JSON.stringify({ from, to, fidelity: fidelityWordOf(fidelity), async, maxInputMb });
  return `${facts.slice(0, -1)},"options":${options}}`;
}

function formatFactsOf(answer: GetCatalogueResponse): FormatFacts[] {
  const countBy = (end: "from" | "to"): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>();
    for (const route of answer.routes) counts.set(route[end], (counts.get(route[end]) ?? 0) + 1);
    return counts;
  };
  const [targets, sources] = [countBy("from"), countBy("to")];
  return answer.formats.map((format) => ({
    ...formatJson(format),
    targets: targets.get(format.id) ?? 0,
    sources: sources.get(format.id) ?? 0,
  }));
}

function formatJson(format: Format) {
  const { id, label, kind, extensions, mime } = format;
  return { id, label, kind, extensions, mime };
}

/** The API's name for a fidelity. */
export function fidelityWordOf(fidelity: Fidelity): string {
  return enumNameOf(Fidelity, fidelity);
}

/** An option as JSON of the REST API. */
export function optionJson(option: Option) {
  return {
    name: option.name,
    type: enumNameOf(Option_Type, option.type),
    default: option.defaultValue?.value.value ?? null,
    description: option.description,
    ...(option.min === undefined ? {} : { min: option.min }),
    ...(option.max === undefined ? {} : { max: option.max }),
    ...(option.values.length === 0 ? {} : { values: option.values }),
    ...(option.unit === "" ? {} : { unit: option.unit }),
  };
}

/** The API's name for a value of a generated enum. */
function enumNameOf(table: Readonly<Record<string, number>>, value: number): string {
  const name = Object.keys(table).find((key) => table[key] === value);
  return (name ?? "unspecified").toLowerCase();
}
