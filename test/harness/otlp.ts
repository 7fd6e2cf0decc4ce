/** A receiver of OTLP over HTTP with JSON, which renders what it received in Prometheus' format. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

type Attribute = {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly doubleValue?: number };
};
type Labelled = { readonly attributes: readonly Attribute[] };
type NumberPoint = Labelled & { readonly asDouble: number };
/** Counts are 64-bit integers, which Protobuf's JSON encodes as strings. */
type HistogramPoint = Labelled & {
  readonly count: number | string;
  readonly sum: number;
  readonly bucketCounts: readonly (number | string)[];
  readonly explicitBounds: readonly number[];
};
type Numbers = { readonly dataPoints: readonly NumberPoint[]; readonly aggregationTemporality?: number; readonly isMonotonic?: boolean };
export type OtlpMetric = {
  readonly name: string;
  readonly gauge?: Numbers;
  readonly sum?: Numbers;
  readonly histogram?: { readonly dataPoints: readonly HistogramPoint[] };
};
export type OtlpSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly Attribute[];
};
type Export = {
  readonly resourceSpans?: readonly { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }[];
  readonly resourceMetrics?: readonly {
    readonly resource: Labelled;
    readonly scopeMetrics: readonly { readonly metrics: readonly OtlpMetric[] }[];
  }[];
};

export type OtlpReceiver = Disposable & {
  readonly endpoint: string;
  readonly spans: OtlpSpan[];
  /** One element per export. */
  readonly metrics: { readonly resource: readonly Attribute[]; readonly metrics: readonly OtlpMetric[] }[];
  /** Paths that received a POST. */
  readonly paths: Set<string>;
};

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const receiver: Pick<OtlpReceiver, "spans" | "metrics" | "paths"> = { spans: [], metrics: [], paths: new Set() };
  const server = createServer(async (request, response) => {
    const { resourceSpans = [], resourceMetrics = [] } = (await json(request)) as Export;
    receiver.paths.add(request.url ?? "");
    receiver.spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
    for (const { resource, scopeMetrics } of resourceMetrics)
      receiver.metrics.push({ resource: resource.attributes, metrics: scopeMetrics.flatMap(({ metrics }) => metrics) });
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { ...receiver, endpoint: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}

/** The metrics in Prometheus' text format, sorted. */
export function prometheusLinesOf(metrics: readonly OtlpMetric[]): readonly string[] {
  return metrics
    .flatMap(({ name, gauge, sum, histogram }) => [
      ...numberLines(name, gauge),
      ...numberLines(name, sum),
      ...histogramLines(name, histogram),
    ])
    .sort();
}

function numberLines(name: string, numbers: Numbers | undefined): readonly string[] {
  return (numbers?.dataPoints ?? []).map(({ attributes, asDouble }) => lineOf(name, attributes, asDouble));
}

function histogramLines(name: string, histogram: OtlpMetric["histogram"]): readonly string[] {
  return (histogram?.dataPoints ?? []).flatMap(({ attributes, count, sum, bucketCounts, explicitBounds }) => {
    let below = 0;
    const buckets = bucketCounts.map((own, index) => {
      below += Number(own);
      const le = { key: "le", value: { stringValue: String(explicitBounds[index] ?? "+Inf") } };
      return lineOf(`${name}_bucket`, [le, ...attributes], below);
    });
    return [...buckets, lineOf(`${name}_sum`, attributes, sum), lineOf(`${name}_count`, attributes, Number(count))];
  });
}

function lineOf(name: string, attributes: readonly Attribute[], value: number): string {
  const labels = attributes.map(
    ({ key, value: { stringValue, intValue, doubleValue } }) => `${key}="${stringValue ?? intValue ?? doubleValue}"`,
  );
  return `${name}${labels.length === 0 ? "" : `{${labels.join(",")}}`} ${value}`;
}
