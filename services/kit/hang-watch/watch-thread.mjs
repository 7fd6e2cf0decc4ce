// Watches the main thread for a blocked event loop. Plain JavaScript, because a thread in TypeScript would load the compiler again.
// @ts-check
import { readFileSync, write } from "node:fs";
import process from "node:process";
import { workerData } from "node:worker_threads";

/** @type {{ state: Int32Array, tickMs: number, limitMs: number, keeper: number | undefined }} */
const { state, tickMs, limitMs, keeper } = workerData;
/** How long writing the last line of the log may take. Perhaps nobody reads it. */
const lastWordsMs = 1000;
const ticksPerSecond = 100;

let lastBeat = -1;
let silentMs = 0;
let secondsBefore = 0;
let isTold = false;

for (;;) {
  const startedAt = performance.now();
  if (Atomics.wait(state, 1, 0, tickMs) !== "timed-out") break;
  const isLate = performance.now() - startedAt > 2 * tickMs;
  const beat = Atomics.load(state, 0);
  if (beat !== lastBeat) {
    lastBeat = beat;
    silentMs = 0;
    secondsBefore = processorSeconds();
  } else if (!isLate) silentMs += tickMs;
  if (silentMs >= limitMs) {
    end();
    break;
  }
  if (keeper !== undefined && process.ppid !== keeper && !isTold) {
    isTold = true;
    process.kill(process.pid, "SIGTERM");
  }
}

/** Logs one line with the cause first. */
function end() {
  const used = processorSeconds() - secondsBefore;
  const cause = used > silentMs / 10_000 ? "its main thread computes without an end" : "its main thread waits without an end";
  const fields = { level: "fatal", time: new Date().toISOString(), cause, silentMs: Math.round(silentMs), processorSeconds: used };
  // SIGALRM is the system's own signal for "time is up". Nothing handles it, nothing else sends it, and it leaves no core file.
  const kill = () => process.kill(process.pid, "SIGALRM");
  write(2, `${JSON.stringify({ ...fields, msg: "process.hung" })}\n`, kill);
  setTimeout(kill, lastWordsMs);
}

/** CPU time of the main thread, whose id is that of the process; 0 if the system does not report it. */
function processorSeconds() {
  try {
    const fields = readFileSync(`/proc/self/task/${process.pid}/stat`, "latin1").split(") ").at(-1)?.split(" ") ?? [];
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return 0;
  }
}
