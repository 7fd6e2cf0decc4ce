import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";

const limitMs = 1000;

/** A watched process that runs `does` and answers each line with `alive`. */
function start(does: string, command: readonly string[] = [], watchdogMs = limitMs): { child: ChildProcess; said(): string } {
  const program = `
    import { startHangWatch } from "#kit/hang-watch/hang-watch.ts";
    const watch = startHangWatch({ WATCHDOG_MS: ${watchdogMs} }, { error: (...words) => console.error(...words) }, process.env.FILEMILL_KEEPER);
    process.stdin.on("data", () => console.log("alive"));
    console.log("started " + process.pid);
    setTimeout(() => { ${does} }, 100);`;
  const [file = "", ...args] = [...command, process.execPath, "--input-type=module", "--eval", program];
  const child = spawn(file, args, { stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  child.stdout?.on("data", (chunk) => (said += String(chunk)));
  child.stderr?.on("data", (chunk) => (said += String(chunk)));
  return { child, said: () => said };
}

it.each([
  ["computes", "for (;;);"],
  ["waits", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);"],
])("kills a process whose main thread %s forever, and logs the cause", async (verb, does) => {
  const { child, said } = start(does);
  const [, signal] = await once(child, "close");
  expect(signal).toBe("SIGALRM");
  const line = JSON.parse(said().split("\n")[1] ?? "");
  expect(line).toMatchObject({ level: "fatal", msg: "process.hung", cause: `its main thread ${verb} without an end` });
  expect(line.silentMs).toBeGreaterThanOrEqual(limitMs);
});

it("spares a process that was stopped for longer than the limit", async () => {
  const { child, said } = start("");
  await expect.poll(said).toContain("started");
  for (let times = 0; times < 2; times++) {
    child.kill("SIGSTOP");
    await sleep(2.5 * limitMs);
    child.kill("SIGCONT");
    child.stdin?.write("?\n");
    await expect.poll(() => said().split("alive").length).toBe(times + 2);
  }
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([null, "SIGTERM"]);
});

it("spares a process whose event loop still turns now and then", async () => {
  const busy = `const until = performance.now() + ${limitMs / 4}; while (performance.now() < until);`;
  const { child, said } = start(`setInterval(() => { ${busy} }, 1); setTimeout(() => process.exit(7), ${5 * limitMs});`);
  expect(await once(child, "close")).toEqual([7, null]);
  expect(said()).not.toContain("process.hung");
});

it("does not keep a process alive, and can be disposed", async () => {
  const { child } = start("process.stdin.destroy();");
  expect(await once(child, "close")).toEqual([0, null]);
  const other = start(
    `watch[Symbol.dispose](); setTimeout(() => { const until = performance.now() + ${3 * limitMs}; while (performance.now() < until); process.exit(8); }, 100);`,
  );
  expect(await once(other.child, "close")).toEqual([8, null]);
});

it.each([
  ["is watched", limitMs],
  ["may hang forever", 0],
])("sends SIGTERM to a process that %s when its keeper dies", async (_how, watchdogMs) => {
  const keeper = 'export FILEMILL_KEEPER=$$; "$@" <&0 & wait';
  const { child, said } = start(
    'process.on("SIGTERM", () => { console.log("told"); process.exit(0); }); console.log("listening"); setInterval(() => {}, 1000);',
    ["sh", "-c", keeper, "sh"],
    watchdogMs,
  );
  await expect.poll(said).toContain("listening");
  child.kill("SIGKILL");
  await once(child, "close");
  expect(said()).toContain("told");
});
