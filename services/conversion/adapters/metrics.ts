import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export type ConversionMetrics = {
  readonly attempts: Counter<"engine" | "outcome">;
  readonly hopSeconds: Histogram<"engine">;
  readonly inspectionSeconds: Histogram<"question">;
  readonly inspectorsReplaced: Counter<"cause">;
  readonly processorSeconds: Counter<"engine">;
  readonly processesStarted: Counter<"engine">;
  readonly sandboxKills: Counter<"engine" | "cause">;
  readonly sandboxMode: Gauge<"mode">;
};

export function createConversionMetrics(register: Registry): ConversionMetrics {
  const registers = [register];
  return {
    attempts: new Counter({
      name: "filemill_attempts_total",
      help: "Finished job attempts, by the plan's first engine and outcome (done, failed, retryable, aborted)",
      labelNames: ["engine", "outcome"],
      registers,
    }),
    hopSeconds: new Histogram({
      name: "filemill_hop_seconds",
      help: "Wall-clock time of one hop in its engine, excluding the wait for a slot",
      labelNames: ["engine"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1200],
      registers,
    }),
    inspectionSeconds: new Histogram({
      name: "filemill_inspection_seconds",
      help: "Wall-clock time of one question to an inspector, including the wait for a free one",
      labelNames: ["question"],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1, 2.5, 10, 30],
      registers,
    }),
    inspectorsReplaced: new Counter({
      name: "filemill_inspectors_replaced_total",
      help: "Inspectors killed while answering a question, by cause (processor, deadline, memory, crash, wrong answer, defect)",
      labelNames: ["cause"],
      registers,
    }),
    processorSeconds: new Counter({
      name: "filemill_engine_processor_seconds_total",
      help: "CPU time of engines on jobs, as far as it was sampled",
      labelNames: ["engine"],
      registers,
    }),
    processesStarted: new Counter({
      name: "filemill_engine_processes_started_total",
      help: "Processes of engines that serve many jobs: the first ones, and their replacements after age, memory, an odd answer or a crash",
      labelNames: ["engine"],
      registers,
    }),
    sandboxKills: new Counter({
      name: "filemill_sandbox_kills_total",
      help: "Engine runs killed for exceeding a limit, by cause (timeout, memory, folder and others)",
      labelNames: ["engine", "cause"],
      registers,
    }),
    sandboxMode: new Gauge({
      name: "filemill_sandbox_mode",
      help: "1 for the active sandbox mode: full (namespaces) or degraded (Landlock and seccomp only)",
      labelNames: ["mode"],
      registers,
    }),
  };
}
