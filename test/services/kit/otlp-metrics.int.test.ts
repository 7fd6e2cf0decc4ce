/** An OTLP receiver gets the same values as /metrics shows. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startMetrics } from "#kit/otlp-metrics.ts";
import { type OtlpReceiver, openOtlpReceiver, prometheusLinesOf } from "#test/harness/otlp.ts";

let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await openOtlpReceiver();
});
afterAll(() => receiver[Symbol.dispose]());

const anHourMs = 3_600_000;

it("sends the same names, labels and values, and flushes when the process ends", async () => {
  const registry = new Registry();
  const registers = [registry];
  const jobs = new Counter({ name: "jobs_total", help: "Jobs", labelNames: ["from", "to"], registers });
  new Gauge({ name: "age_seconds", help: "Age", registers }).set(2.5);
  new Counter({ name: "never_total", help: "Of nothing yet", labelNames: ["why"], registers });
  const seconds = new Histogram({ name: "run_seconds", help: "Runs", labelNames: ["engine"], buckets: [0.1, 1, 10], registers });
  {
    await using _sending = startMetrics(registry, { endpoint: `${receiver.endpoint}/`, everyMs: anHourMs });
    jobs.inc({ from: "png", to: "webp" }, 3);
    jobs.inc({ from: "md", to: "pdf" });
    for (const value of [0.05, 0.1, 0.5, 7, 100]) seconds.observe({ engine: "sharp" }, value);
    seconds.observe({ engine: "pandoc" }, 2);
  }
  const [{ metrics, resource } = { metrics: [], resource: [] }] = receiver.metrics;
  const shown = (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(prometheusLinesOf(metrics)).toEqual(shown.sort());
  expect(metrics.find(({ name }) => name === "jobs_total")?.sum).toMatchObject({ isMonotonic: true, aggregationTemporality: 2 });
  expect([...receiver.paths]).toEqual(["/v1/metrics"]);
  expect(resource.map(({ key }) => key)).toEqual(expect.arrayContaining(["service.name", "service.instance.id", "host.name"]));
});

it("ends without an error if the receiver is unreachable", async () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const sending = startMetrics(registry, { endpoint: "http://127.0.0.1:9", everyMs: anHourMs });
  await expect(sending[Symbol.asyncDispose]()).resolves.toBeUndefined();
});
