/** Loaded into every process of a deployment under test (`node --import`): sends the process a signal at the armed moment. */
import { subscribe } from "node:diagnostics_channel";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import process from "node:process";
import type { Told } from "#kit/moments.ts";
import { armedFileOf, hitFileOf } from "./crash-points.ts";

const dir = process.env.FAULTS_DIR ?? "";

subscribe("filemill.job", (message) => {
  const { moment } = message as Told;
  const [armed, hit] = [armedFileOf(dir, moment), hitFileOf(dir, moment)];
  const taken = `${armed}.${process.pid}`;
  try {
    // Only one of several processes gets it.
    renameSync(armed, taken);
  } catch {
    return;
  }
  const signal = readFileSync(taken, "utf8") === "SIGSTOP" ? "SIGSTOP" : "SIGKILL";
  writeFileSync(taken, String(process.pid));
  renameSync(taken, hit);
  process.kill(process.pid, signal);
});
