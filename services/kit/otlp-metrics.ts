/** Sends the metrics of /metrics by OTLP: prom-client counts, and OpenTelemetry's own packages send. Loaded only if an endpoint is set. */
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { type HrTime, ValueType } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValue, Registry } from "prom-client";
import { otlpUrl, resource } from "./otlp-resource.ts";

/** How long shutdown waits until the last metrics are accepted. */
const lastWordsMs = 2000;

export type MetricsSettings = {
  /** As in OTEL_EXPORTER_OTLP_ENDPOINT: without the path of the signal. */
  readonly endpoint: string;
  readonly everyMs: number;
};

/** What prom-client adds to histogram values besides labels: the name with its suffix, `_bucket`, `_sum` or `_count`. */
type Value = MetricValue<string> & { readonly metricName?: string };
type Metric = MetricObjectWithValues<MetricValue<string>>;

/** Sends the registry's metrics with the same names and labels until it is disposed, and then once more. */
export function startMetrics(registry: Registry, { endpoint, everyMs }: MetricsSettings): AsyncDisposable {
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: otlpUrl(endpoint, "metrics") }),
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(everyMs, 30_000),
    metricProducers: [producerOf(registry)],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return {
    async [Symbol.asyncDispose]() {
      await Promise.race([provider.shutdown().catch(() => undefined), sleep(lastWordsMs, undefined, { ref: false })]);
    },
  };
}

function producerOf(registry: Registry): MetricProducer {
  const startTime = millisToHrTime(performance.timeOrigin);
  return {
    async collect() {
      const all: readonly Metric[] = await registry.getMetricsAsJSON();
      const times = { startTime, endTime: millisToHrTime(Date.now()) };
      const metrics = all.map((metric) => dataOf(metric, times)).filter(({ dataPoints }) => dataPoints.length > 0);
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: "filemill" }, metrics }] }, errors: [] };
    },
  };
}

type Times = { readonly startTime: HrTime; readonly endTime: HrTime };

function dataOf({ name, help, type, values }: Metric, times: Times): MetricData {
  const base = {
    descriptor: { name, description: help, unit: "", valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // prom-client declares a number here but returns a string.
  const kind: unknown = type;
  if (kind === "histogram") return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramsOf(values, times) };
  const dataPoints = values.map(({ value, labels }) => ({ ...times, attributes: labels, value }));
  if (kind === "counter") return { ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
  return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus buckets are cumulative, those of OTLP are not. */
function histogramsOf(values: readonly Value[], times: Times): DataPoint<Histogram>[] {
  const groups = Map.groupBy(values, ({ labels: { le: _, ...attributes } }) => JSON.stringify(attributes));
  return [...groups].map(([attributes, group]) => {
    const numberOf = (suffix: string) => group.find(({ metricName = "" }) => metricName.endsWith(suffix))?.value ?? 0;
    const buckets = group.filter(({ metricName = "" }) => metricName.endsWith("_bucket"));
    const boundaries = buckets.map(({ labels }) => Number(labels.le)).filter(Number.isFinite);
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    return {
      ...times,
      attributes: JSON.parse(attributes),
      value: { buckets: { boundaries, counts }, sum: numberOf("_sum"), count: numberOf("_count") },
    };
  });
}
