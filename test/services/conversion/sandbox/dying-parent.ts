/** Starts a sandboxed program and waits to be killed. Argument: a marker for the program's command line. */
import { openHost } from "./host.ts";

const marker = process.argv[2] ?? "";
const mode = process.argv[3] === "degraded" ? "degraded" : "full";
const host = await openHost(mode);
// The second one is detached and must not outlive the first.
const script = `setsid sh -c 'exec sleep ${marker}' & exec sleep ${marker}`;
await host.sandbox.run({ program: "/bin/sh", args: ["-c", script], limits: { wallMs: 0 } });
