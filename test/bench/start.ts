import { mkdir, mkdtemp, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { removeFolder } from "#test/harness/folders.ts";
import { startProcess } from "#test/harness/processes.ts";
import { makeIcon } from "./icon.ts";
import { median } from "./measure.ts";
import { memoryOfTree } from "./process-memory.ts";
import { convert } from "./rest-client.ts";

const corpus = resolve("test/corpus");
const routes: readonly { readonly from: string; readonly to: string; readonly source: () => Promise<Buffer> }[] = [
  { from: "png", to: "webp", source: makeIcon },
  { from: "md", to: "html", source: async () => Buffer.from("# Letter\n\nA paragraph with *stress*.\n\n- one\n- two\n") },
  { from: "docx", to: "pdf", source: () => readFile(join(corpus, "office/text.docx")) },
];
/** No process of the tree may start or end for this long: engines are probed one by one when the service is ready. */
const restMs = 8000;

/** How long the first and later starts on one DATA_DIR take, the memory of idle processes, and the waits of first conversions. */
export async function benchStart(): Promise<string[]> {
  await mkdir(".tmp", { recursive: true });
  const home = await mkdtemp(resolve(".tmp/filemill-bench-"));
  try {
    const first = await started(home);
    const { key = "" } = first;
    await first[Symbol.asyncDispose]();
    const lines: string[] = [];
    const later: number[] = [];
    for (const route of routes) {
      await using server = await started(home);
      later.push(server.readyMs);
      lines.push(await firstAgainstTenth({ url: server.url, key }, route));
    }
    await using resting = await started(home);
    later.push(resting.readyMs);
    return [
      `start to ready: first ${ms(first.readyMs)}, later ${ms(median(later))} (${later.map(ms).join(", ")}; budget 2500 ms)`,
      ...lines,
      ...(await memoryAtRest(resting.pid)),
    ];
  } finally {
    await removeFolder(home);
  }
}

/** Like `npm start`, without npm itself. */
async function started(home: string) {
  const env = { DATA_DIR: join(home, "data"), PORT: "0", RPC_PORT: "0", LOG_LEVEL: "warn", PROVING: "off", INLINE_WAIT_MS: "60000" };
  const begun = performance.now();
  const running = startProcess(process.execPath, ["gateway/setup/start.mjs"], env);
  const url = await running.printed(/Filemill is ready\.\s+(http\S+)\//);
  const readyMs = performance.now() - begun;
  const key = await Promise.race([running.printed(/\b(fm_[0-9A-Za-z]{49})\b/), sleep(100, undefined)]);
  return { url, key, readyMs, pid: running.child.pid ?? 0, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

async function firstAgainstTenth(server: { url: string; key: string }, { from, to, source }: (typeof routes)[number]): Promise<string> {
  const file = await source();
  const times: number[] = [];
  while (times.length < 12) {
    const begun = performance.now();
    const { status } = await convert(server, { to, name: `a.${from}`, query: "?download=1" }, file);
    if (status !== 200) throw new Error(`${from} to ${to}: status ${status}`);
    times.push(performance.now() - begun);
  }
  const [first = 0] = times;
  const tenth = median(times.slice(7));
  return `first conversion after ready, ${from} to ${to}: ${ms(first)}, the tenth ${ms(tenth)} = ${(first / tenth).toFixed(1)}x`;
}

async function memoryAtRest(pid: number): Promise<readonly string[]> {
  for (let [before, since] = ["", 0]; performance.now() - since < restMs; await sleep(200)) {
    const now = treeOf(pid).join();
    if (now !== before) since = performance.now();
    before = now;
  }
  const { processes, together } = memoryOfTree(pid);
  const row = (what: string, ...amounts: readonly number[]) => `  ${what.padEnd(32)} ${amounts.map(mb).join(" ")}`;
  return [
    `memory at rest, MB${" ".repeat(19)}resident    own`,
    ...processes.map(({ what, count, resident, own }) => row(count === 1 ? what : `${what} (${count})`, resident, own)),
    `${row("together, what they share once", together)} (budget 300)`,
  ];
}

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const mb = (bytes: number): string => (bytes / 1e6).toFixed(1).padStart(6);
