/**
 * `npm run bench -- routes`: the cost of a conversion compared with its raw
 * engine, written to BENCHMARKS.md; `-- routes remux` only prints those rows.
 */
import { createReadStream } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { openWarmOffice } from "./bare-engines.ts";
import { compare, type Pair } from "./measure.ts";
import { memoryOfTree } from "./process-memory.ts";
import { convert } from "./rest-client.ts";
import { type Workload, workloads } from "./workloads.ts";

const output = new URL("./BENCHMARKS.md", import.meta.url);
const largeBytes = 16_000_000;

type Row = { readonly name: string; readonly atOnce: number; readonly goal: number; readonly pair: Pair; readonly fresh: Pair | undefined };

/** @param asked - Parts of names of the rows to measure; if empty, all rows are measured and the file is written. */
export async function benchRoutes(asked: readonly string[]): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-bench-"));
  try {
    await using office = await openWarmOffice(folder);
    await using server = await startServer({ LOG_LEVEL: "warn", OFFICE_SLOTS: "1", INLINE_WAIT_MS: "60000" });
    await untilWarm();
    const megabytes = () => Math.round(memoryOfTree(server.child.pid ?? 0).together / 1e6);
    const atRest = megabytes();
    const rows: string[] = [];
    for (const make of workloads) {
      const workload = await make(folder, office);
      if (asked.length > 0 && !asked.some((part) => workload.name.includes(part))) continue;
      for (const [atOnce, goal] of Object.entries(workload.goals)) {
        const measures = await measured(server, workload, folder, Number(atOnce));
        rows.push(rowOf({ name: workload.name, atOnce: Number(atOnce), goal, ...measures }));
        console.log(rows.at(-1));
      }
    }
    if (asked.length === 0) await writeFile(output, documentOf(rows, atRest, megabytes()));
    return [];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** After its start, a service warms LibreOffice and verifies engines, beside which small files take twice as long. */
async function untilWarm(): Promise<void> {
  const [lookMs, mostMs, quiet] = [2000, 60_000, 0.2];
  for (let waitedMs = 0; waitedMs < mostMs; waitedMs += lookMs) {
    const before = busyMs();
    await sleep(lookMs);
    if (busyMs() - before < quiet * lookMs * cpus().length) return;
  }
}

async function measured(
  server: TestServer,
  { source, to, query = "", rounds, bare, fresh }: Workload,
  folder: string,
  atOnce: number,
): Promise<Pick<Row, "pair" | "fresh">> {
  const { size: sizeBytes } = await stat(source);
  // From memory, a client would copy a large file twice, which takes as long as the service.
  const small = sizeBytes > largeBytes ? undefined : await readFile(source);
  const file = () => small ?? { stream: createReadStream(source, { highWaterMark: 1 << 20 }), sizeBytes };
  const upload = { to, name: basename(source), query: `?download=wait${query}` };
  const all = (one: (at: number) => Promise<unknown>) => () => Promise.all(Array.from({ length: atOnce }, (_, at) => one(at)));
  const ours = all(async () => {
    const { status, body } = await convert(server, upload, file());
    if (status !== 200) throw new Error(`${basename(source)} to ${to}: ${status} ${body.subarray(0, 300)}`);
  });
  const alone = all((at) => bare(source, join(folder, `bare-${at}.${to}`)));
  // Both are warmed up before they are timed.
  await compare(rounds > 20 ? rounds : 2, ours, alone);
  const pair = await compare(rounds, ours, alone, { ours: busyMs, bare: busyMs });
  if (fresh === undefined) return { pair, fresh };
  const afresh = all((at) => fresh(source, join(folder, `fresh-${at}.${to}`)));
  return { pair, fresh: await compare(Math.min(rounds, 5), afresh, alone) };
}

/** Processor time of the whole machine, because short-lived processes escape every count by process. */
function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

function rowOf({ name, atOnce, goal, pair: { ours, bare, ratio, processorRatio }, fresh }: Row): string {
  const figures = [bare.toFixed(0), ours.toFixed(0), ratio.toFixed(2), goal, processorRatio.toFixed(2), fresh?.ratio.toFixed(1) ?? ""];
  return `| ${[name, atOnce, ...figures].join(" | ")} |`;
}

function documentOf(rows: readonly string[], atRestMb: number, afterMb: number): string {
  return [
    "# Benchmarks",
    "",
    "Time of one request, from upload to the last byte of the answer, beside the raw engine with the same settings on the same file in",
    "the same run. Medians of alternating rounds; compare ratios, not milliseconds. `at once` is the number of concurrent conversions,",
    "`processor` the ratio of processor time, the client's included. `fresh process` is the time ratio of one new, unisolated process per file,",
    "the way ConvertX and Gotenberg call their tools; where it is empty, the raw engine is that process.",
    `Written by \`npm run bench -- routes\` on ${cpus().length} cores, Node.js ${process.versions.node}.`,
    "",
    "| conversion | at once | engine, ms | Filemill, ms | ratio | goal | processor | fresh process |",
    "|---|---:|---:|---:|---:|---:|---:|---:|",
    ...rows,
    "",
    `Memory of all Filemill's processes, shared pages counted once: ${atRestMb} MB after the start, ${afterMb} MB after all of the above.`,
    "",
  ].join("\n");
}
