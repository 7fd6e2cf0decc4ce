/** Engines under mutated files: they may refuse, but never misbehave. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { type ErrorCode, FilemillError } from "#contract/errors.ts";
import { ManifestSchema, type Plan } from "#gen/filemill/catalogue/v1/catalogue_pb.ts";
import { parseSettings } from "#kit/config.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { catalogueOf } from "#services/catalogue/index.ts";
import type { Hop } from "#services/conversion/domain/engine.ts";
import { openConverter } from "#services/conversion/index.ts";

/** Acceptable errors for a bad file. Any other is our defect. */
const politeCodes: ReadonlySet<ErrorCode> = new Set([
  "INVALID_INPUT",
  "INPUT_TOO_COMPLEX",
  "PASSWORD_REQUIRED",
  "CONVERSION_FAILED",
  "CONVERSION_TIMEOUT",
  "INVALID_OPTION",
]);
const timeoutMs = 10_000;
/** Includes killing two attempts, and a busy machine. */
const maxElapsedMs = 4 * timeoutMs;
/** The folder of a killed office is removed after the answer. */
const maxTidyMs = 30_000;

export type FuzzedHop = { readonly engine: string; readonly hop: Hop };

export type EngineTarget = AsyncDisposable & {
  /** Of the installed engines. */
  readonly hops: readonly FuzzedHop[];
  /** Undefined if the file was converted or refused properly; otherwise what was wrong. Without an engine, the best route decides. */
  try(content: Uint8Array, from: string, to: string, more?: Asked): Promise<string | undefined>;
  /** The result for a good file; undefined if it was refused. */
  convert(content: Uint8Array, from: string, to: string): Promise<Buffer | undefined>;
  /** Options as in a query string, with a valid route. */
  tryOptions(from: string, to: string, options: Readonly<Record<string, string>>): string | undefined;
};

type Asked = { readonly engine?: string; readonly options?: Readonly<Record<string, string>> };

export async function openEngineTarget(): Promise<EngineTarget> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "filemill-fuzz-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const settings = parseSettings(settingTable, { DATA_DIR: folder, CONVERSION_TIMEOUT_MS: String(timeoutMs), JOB_MEMORY_MB: "1024" });
  const converter = stack.use(await openConverter(settings, openLog("silent")));
  converter.warm();
  const manifest = converter.manifest("fuzz");
  const catalogue = catalogueOf([manifest]);
  const alone = new Map(
    manifest.engines.map((engine) => [engine.id, catalogueOf([create(ManifestSchema, { ...manifest, engines: [engine] })])] as const),
  );
  const found = converter.engines().filter(({ version }) => version !== undefined);
  const hops = found.flatMap(({ id, hops }) => hops.map((hop) => ({ engine: id, hop })));
  const owned = stack.move();

  async function run(content: Uint8Array, output: string, plan: Plan): Promise<void> {
    const input = join(folder, "input");
    await writeFile(input, content, { mode: 0o644 });
    try {
      await converter.run(plan, input, output, { signal: new AbortController().signal });
    } finally {
      await rm(input, { force: true });
    }
  }

  async function attempt(content: Uint8Array, from: string, to: string, { engine, options = {} }: Asked = {}): Promise<string | undefined> {
    const output = converter.newPath(to);
    const startedAt = performance.now();
    const planner = (engine === undefined ? undefined : alone.get(engine)) ?? catalogue;
    const wrong = await (async () => run(content, output, planner.plan({ from, to, options })))().then(() => undefined, wrongOf);
    if (performance.now() - startedAt > maxElapsedMs) return "it took too long";
    await rm(output, { force: true });
    return wrong ?? (await leftoverOf(folder));
  }

  async function convert(content: Uint8Array, from: string, to: string): Promise<Buffer | undefined> {
    const output = converter.newPath(to);
    try {
      await run(content, output, catalogue.plan({ from, to, options: {} }));
      return await readFile(output);
    } catch {
      return undefined;
    } finally {
      await rm(output, { force: true });
    }
  }

  return {
    hops,
    try: attempt,
    convert,
    tryOptions: (from, to, options) => wrongIn(() => void catalogue.plan({ from, to, options })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function wrongIn(work: () => void): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return wrongOf(error);
  }
}

function wrongOf(error: unknown): string | undefined {
  if (!(error instanceof FilemillError)) return `it threw ${String(error)}`;
  if (!politeCodes.has(error.code)) return `it answered ${error.code}: ${error.message}`;
  // Format names may contain a slash between blanks, such as HEIC / HEIF.
  return /\/\w|\bat \w+ \(/.test(error.message) ? `its message tells too much: ${error.message}` : undefined;
}

/** Files between hops and results have a UUID and their format as names; folders of warm engines stay. */
async function leftoverOf(folder: string): Promise<string | undefined> {
  for (const startedAt = performance.now(); ; await sleep(20)) {
    // Folders may disappear while it reads.
    const names = await readdir(join(folder, "scratch"), { recursive: true }).catch(() => ["?"]);
    const left = names.find((name) => name === "?" || /[0-9a-f]{12}\.\w+$/.test(name));
    if (left === undefined) return undefined;
    if (performance.now() - startedAt > maxTidyMs) return `it left ${left}`;
  }
}
