/** Deliberate violations of a rule. An entry that is no longer needed fails the test. */
export type Exception = { readonly rule: string; readonly path: string; readonly reason: string };

export const exceptions: readonly Exception[] = [
  { rule: "process", path: "gateway/examples/grpc.ts", reason: "is a program of its own, for readers" },
  { rule: "process", path: "gateway/examples/rest.ts", reason: "is a program of its own, for readers" },
  { rule: "process", path: "gateway/examples/webhook.ts", reason: "is a program of its own, for readers" },
  { rule: "process", path: "services/kit/run-alone.ts", reason: "is handed the process by each main.ts, whose body it is" },
  { rule: "process", path: "services/kit/shutdown.ts", reason: "is handed the process by each main.ts" },
  {
    rule: "process",
    path: "services/conversion/engines/inside/serve.ts",
    reason: "is where the process inside the sandbox begins, and its output is for answers alone",
  },
  { rule: "default export", path: "test/harness/turns-runner.ts", reason: "is a runner, of which Vitest takes the default export" },
];
