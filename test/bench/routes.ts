/** `npm run bench -- routes`: what a conversion costs beside its raw engine, written to BENCHMARKS.md. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { openWarmOffice } from "./bare-engines.ts";
import { compare, type Pair } from "./measure.ts";
import { convert } from "./rest-client.ts";
import { type Workload, workloads } from "./workloads.ts";

const output = new URL("./BENCHMARKS.md", import.meta.url);

export async function benchRoutes(): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-bench-"));
  try {
    await using office = await openWarmOffice(folder);
    await using server = await startServer({ LOG_LEVEL: "warn", OFFICE_SLOTS: "1", INLINE_WAIT_MS: "60000" });
    const rows: string[] = [];
    for (const make of workloads) {
      const workload = await make(folder, office);
      for (const [atOnce, goal] of Object.entries(workload.goals)) {
        const pair = await measured(server, workload, folder, Number(atOnce));
        rows.push(rowOf(workload.name, Number(atOnce), pair, goal));
        console.log(rows.at(-1));
      }
    }
    await writeFile(output, documentOf(rows));
    return [];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measured(
  server: TestServer,
  { source, to, query = "", rounds, bare }: Workload,
  folder: string,
  atOnce: number,
): Promise<Pair> {
  const bytes = await readFile(source);
  const upload = { to, name: basename(source), query: `?download=wait${query}` };
  const all = (one: (at: number) => Promise<unknown>) => () => Promise.all(Array.from({ length: atOnce }, (_, at) => one(at)));
  const ours = all(async () => {
    const { status, body } = await convert(server, upload, bytes);
    if (status !== 200) throw new Error(`${basename(source)} to ${to}: ${status} ${body.subarray(0, 300)}`);
  });
  const alone = all((at) => bare(source, join(folder, `bare-${at}.${to}`)));
  // Both have compiled their code and filled their caches before they are timed.
  await compare(rounds > 20 ? rounds : 2, ours, alone);
  return await compare(rounds, ours, alone);
}

function rowOf(name: string, atOnce: number, { ours, bare, ratio }: Pair, goal: number): string {
  return `| ${name} | ${atOnce} | ${bare.toFixed(0)} | ${ours.toFixed(0)} | ${ratio.toFixed(2)} | ${goal} |`;
}

function documentOf(rows: readonly string[]): string {
  return [
    "# Benchmarks",
    "",
    "Time of one request, from upload to the last byte of the answer, beside the raw engine with the same settings on the same file in",
    "the same run. Medians of rounds in turn; compare ratios, not milliseconds. `at once` is the number of conversions under way together.",
    `Written by \`npm run bench -- routes\` on ${cpus().length} cores, Node.js ${process.versions.node}.`,
    "",
    "| conversion | at once | engine, ms | Filemill, ms | ratio | goal |",
    "|---|---:|---:|---:|---:|---:|",
    ...rows,
    "",
  ].join("\n");
}
