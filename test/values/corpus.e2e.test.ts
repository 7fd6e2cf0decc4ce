/** Hostile values through the whole service: corpus/values/cases.json defines the expected results by target. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "#test/harness/server.ts";
import { openForeign } from "./foreign.ts";

type Case = {
  readonly of: string;
  /** A file in the corpus, or the name for `text` followed by `line`, repeated `times`. */
  readonly name: string;
  readonly text?: string;
  readonly line?: string;
  readonly times?: number;
  readonly to: string;
  /** In the result, according to an independent reader. */
  readonly holds?: readonly string[];
  readonly lacks?: readonly string[];
  /** Exactly these. */
  readonly notes?: readonly string[];
  readonly refused?: string;
};

const corpus = join(import.meta.dirname, "../corpus/values");
const cases: readonly Case[] = JSON.parse(await readFile(join(corpus, "cases.json"), "utf8"));
const run = promisify(execFile);
const foreign = openForeign();

let server: TestServer;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-values-"));
  server = await startServer();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
  await foreign[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

type Job = {
  readonly id: string;
  readonly status: string;
  readonly download?: string;
  readonly error?: { readonly code: string };
  readonly notes: readonly { readonly code: string }[];
};

const headers = () => ({ authorization: `Bearer ${server.key}` });

async function converted({ name, text, line = "", times = 0, to }: Case): Promise<Job> {
  const content = text === undefined ? await readFile(join(corpus, name)) : Buffer.from(text + line.repeat(times));
  const body = new FormData();
  body.set("to", to);
  body.set("file", new Blob([new Uint8Array(content)]), name);
  const answer = await fetch(`${server.url}/api/v1/convert`, { method: "POST", body, headers: headers() });
  let { job }: { job: Job } = JSON.parse(await answer.text());
  while (!/^(done|failed)$/.test(job.status)) {
    await sleep(100);
    ({ job } = JSON.parse(await (await fetch(`${server.url}/api/v1/jobs/${job.id}`, { headers: headers() })).text()));
  }
  return job;
}

const maps = new Set("shp gpkg fgb".split(" "));
const said = new Set("xlsx xls ods sqlite avro tar".split(" "));

async function readingOf(path: string, to: string): Promise<string> {
  if (said.has(to)) return JSON.stringify(await foreign.read(to, path));
  const map = to === "shp" ? `/vsizip/${path}` : path;
  if (maps.has(to)) return (await run("ogr2ogr", ["-f", "GeoJSON", "/vsistdout/", map])).stdout;
  // Binary except for its header.
  return await readFile(path, to === "ply" ? "latin1" : "utf8");
}

describe("hostile values", () => {
  it.concurrent.each(cases.map((each) => [each.of, each.name, each.to, each] as const))("%s: %s to %s", async (_of, name, to, each) => {
    const { error, notes, download } = await converted(each);
    expect(error?.code).toBe(each.refused);
    if (download == null) return;
    const path = join(folder, `${name}.${to === "shp" ? "shp.zip" : to}`);
    await writeFile(path, new Uint8Array(await (await fetch(download, { headers: headers() })).arrayBuffer()));
    const reading = await readingOf(path, to);
    for (const wanted of each.holds ?? []) expect(reading).toContain(wanted);
    for (const odd of each.lacks ?? []) expect(reading).not.toContain(odd);
    if (each.notes !== undefined) expect(notes.map(({ code }) => code).sort()).toEqual([...each.notes].sort());
  });
});
