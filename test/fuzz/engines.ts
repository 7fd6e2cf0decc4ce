/** Engines under mutated files: they may refuse, never misbehave. */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseSettings } from "#kit/config.ts";
import { type ErrorCode, FilemillError } from "#kit/errors.ts";
import { openLog } from "#kit/log.ts";
import { settingTable } from "#kit/settings.ts";
import { catalogueOf } from "#services/catalogue/index.ts";
import { openConverter } from "#services/conversion/index.ts";

/** What a bad file may be told. Anything else is a defect of ours. */
const politeCodes: ReadonlySet<ErrorCode> = new Set([
  "INVALID_INPUT",
  "INPUT_TOO_COMPLEX",
  "PASSWORD_REQUIRED",
  "CONVERSION_FAILED",
  "CONVERSION_TIMEOUT",
  "INVALID_OPTION",
]);
const timeoutMs = 10_000;
/** With the kill of two attempts, and a machine that does something else. */
const maxElapsedMs = 4 * timeoutMs;

export type EngineTarget = AsyncDisposable & {
  /** Formats that `from` is converted to, in one step or several. */
  targetsOf(from: string): readonly string[];
  /** undefined: converted or refused as it should be; else what was wrong. */
  try(content: Uint8Array, from: string, to: string): Promise<string | undefined>;
  /** Options as they come in a query string, with a good route. */
  tryOptions(from: string, to: string, options: Readonly<Record<string, string>>): string | undefined;
};

export async function openEngineTarget(): Promise<EngineTarget> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "filemill-fuzz-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const settings = parseSettings(settingTable, { DATA_DIR: folder, CONVERSION_TIMEOUT_MS: String(timeoutMs), JOB_MEMORY_MB: "1024" });
  const converter = stack.use(await openConverter(settings, openLog("silent")));
  const catalogue = catalogueOf([converter.manifest("fuzz")]);
  const pairs = converter.engines().flatMap(({ hops }) => hops.map(({ from, to }) => [from, to] as const));
  const owned = stack.move();

  async function attempt(content: Uint8Array, from: string, to: string): Promise<string | undefined> {
    const plan = catalogue.plan({ from, to, options: {} });
    const input = join(folder, "input");
    await writeFile(input, content, { mode: 0o644 });
    const output = converter.newPath(to);
    const startedAt = performance.now();
    const wrong = await converter.run(plan, input, output, { signal: new AbortController().signal }).then(() => undefined, wrongOf);
    if (performance.now() - startedAt > maxElapsedMs) return "it took too long";
    await rm(output, { force: true });
    await rm(input, { force: true });
    return wrong ?? (await leftoverOf(folder));
  }

  return {
    targetsOf: (source) => [...new Set(pairs.filter(([from]) => from === source).map(([, to]) => to))],
    try: attempt,
    tryOptions(from, to, options) {
      try {
        catalogue.plan({ from, to, options });
        return undefined;
      } catch (error) {
        return wrongOf(error);
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function wrongOf(error: unknown): string | undefined {
  if (!(error instanceof FilemillError)) return `it threw ${String(error)}`;
  if (!politeCodes.has(error.code)) return `it answered ${error.code}: ${error.message}`;
  return /\/|\bat \w+ \(/.test(error.message) ? `its message tells too much: ${error.message}` : undefined;
}

/** Files between hops and results are named by 24 hexadecimal digits; folders of warm engines stay. */
async function leftoverOf(folder: string): Promise<string | undefined> {
  const names = await readdir(join(folder, "scratch"), { recursive: true });
  const left = names.find((name) => /[0-9a-f]{24}\.\w+$/.test(name));
  return left === undefined ? undefined : `it left ${left}`;
}
