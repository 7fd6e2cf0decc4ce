/** Where a rule is broken on purpose. An entry that is not needed any more fails the test. */
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
  {
    rule: "function length",
    path: "services/conversion/engines/shared/child-pool.ts",
    reason: "holds all of a pool's state in one closure; not split yet",
  },
];
