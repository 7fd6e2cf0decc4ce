import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export type ConversionMetrics = {
  readonly attempts: Counter<"engine" | "outcome">;
  readonly hopSeconds: Histogram<"engine">;
  readonly sandboxMode: Gauge<"mode">;
};

export function createConversionMetrics(register: Registry): ConversionMetrics {
  const registers = [register];
  return {
    attempts: new Counter({
      name: "filemill_attempts_total",
      help: "Ended attempts at jobs, by the plan's first engine and outcome (done, failed, retryable, aborted)",
      labelNames: ["engine", "outcome"],
      registers,
    }),
    hopSeconds: new Histogram({
      name: "filemill_hop_seconds",
      help: "Wall-clock time of one hop in its engine, without waiting for a slot",
      labelNames: ["engine"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1200],
      registers,
    }),
    sandboxMode: new Gauge({
      name: "filemill_sandbox_mode",
      help: "1 for the mode that engines run in: full (namespaces) or degraded (Landlock and seccomp only)",
      labelNames: ["mode"],
      registers,
    }),
  };
}
