/** The service while its inspectors are killed or paused: other requests are answered, and a replacement inspects the next file. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { opened } from "#test/harness/opened.ts";
import { post } from "#test/harness/rest.ts";
import { startServer, withoutOffice } from "#test/harness/server.ts";

const png = readFileSync(join(import.meta.dirname, "../corpus/tiny/tiny.png"));
const server = opened(() => startServer({ ...withoutOffice, LOG_LEVEL: "warn" }));

/** Inspector processes, with their sandboxes. */
function inspectors(): readonly number[] {
  return treeOf(server.child.pid ?? 0).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("inspector.cjs");
    } catch {
      return false;
    }
  });
}

/** Waits until the set of inspectors is stable, so that all of them get the signal. */
async function signal(name: NodeJS.Signals): Promise<void> {
  let seen = "";
  const isSteady = (): boolean => {
    const before = seen;
    seen = inspectors().join();
    return seen !== "" && seen === before;
  };
  await expect.poll(isSteady, { interval: 500 }).toBe(true);
  for (const pid of inspectors()) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // A sandbox ends with its program.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

async function statusOf(file: Uint8Array<ArrayBuffer>, name: string): Promise<number> {
  const answer = await post(server, { file, name, query: "?download=1" });
  await answer.arrayBuffer();
  return answer.status;
}

test("converts a file right after all inspectors were killed", async () => {
  expect(await statusOf(png, "a.png")).toBe(200);
  await signal("SIGKILL");
  expect(await statusOf(png, "a.png")).toBe(200);
});

test("a file whose inspector hangs is taken over by another one, without delaying those after it", async () => {
  await signal("SIGSTOP");
  const answered: string[] = [];
  const convert = async (name: string): Promise<number> => {
    const status = await statusOf(png, name);
    answered.push(name);
    return status;
  };
  // Which of them reaches the paused inspector is undefined.
  const both = [convert("first.png"), convert("second.png")];
  await Promise.race(both);
  expect(answered).toHaveLength(1);
  expect(await Promise.all(both)).toEqual([200, 200]);
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(metrics).toMatch(/^filemill_inspectors_replaced_total\{cause="deadline"\} [1-9]/m);
  expect(metrics).toMatch(/^filemill_inspection_seconds_count\{question="sniff"\} [1-9]/m);
  // What an operator's alerts are based on.
  for (const part of ["broker", "blobs", "scratch", "sandbox", "inspectors"])
    expect(metrics).toContain(`filemill_part_well{part="${part}"} 1`);
  expect(metrics).toMatch(/^filemill_disk_bytes\{of="free"\} [1-9]/m);
  expect(metrics).toMatch(/^filemill_broker_store_bytes [1-9]/m);
  expect(metrics).toMatch(/^filemill_engine_processes_started_total\{engine="sharp"\} [1-9]/m);
  expect(metrics).toMatch(/^filemill_queue_age_seconds\{lane="image"\} \d/m);
  expect(metrics).toMatch(/^filemill_proving_conversions\{of="all"\} \d/m);
});

test("input that once froze the service is answered, as is a file sent with it", async () => {
  const [frozen, beside] = await Promise.all([statusOf(Buffer.from(`P1 ${"# ".repeat(60)}x`), "a"), statusOf(png, "a.png")]);
  expect(frozen).toBeLessThan(500);
  expect(beside).toBe(200);
});
