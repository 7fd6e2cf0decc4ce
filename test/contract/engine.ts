/** Contract of every engine: its probe returns a version, and each hop writes a file that an independent reader recognises. */
import { chmod, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openLog } from "#kit/log.ts";
import type { Engine, EngineHost, FileRef, Hop, OpenEngine, OptionValues } from "#services/conversion/domain/engine.ts";
import { isExpected } from "#services/conversion/domain/expectations.ts";
import type { NoteCode } from "#services/conversion/domain/notes.ts";
import { noteMetadata } from "#services/conversion/domain/picture-metadata.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { openInspectors } from "#services/conversion/inspectors/open-inspectors.ts";
import { createVerdicts, type Verdicts } from "#services/conversion/inspectors/verdicts.ts";
import { openDegradedSandbox, openSandbox } from "#services/conversion/sandbox/index.ts";
import { keepFound, putFound } from "#test/harness/found.ts";
import { opened } from "#test/harness/opened.ts";
import { entriesIn } from "./entries.ts";
import { mimesOf, type Reading, readingOf } from "./readers.ts";

export type Converted = { readonly path: string; readonly notes: ReadonlyMap<NoteCode, string | undefined> };

/** An engine with its sandbox and a folder, for conversion tests. */
export type Bench = AsyncDisposable & {
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly engine: OpenEngine;
  readonly verdicts: Verdicts;
  readonly host: EngineHost;
  /** Writes a file into `folder`. Resolves with its path. */
  put(name: string, content: string | Uint8Array): Promise<string>;
  /** The same, under a new name. */
  given(content: string | Uint8Array, format: string): Promise<string>;
  /** Converts a file in `folder` by the hop from → to; missing options take the hop's defaults. */
  convert(input: string, from: string, to: string, options?: OptionValues, timeoutMs?: number): Promise<Converted>;
};

/** Cached: that this machine's sandbox works, and the inspectors' program (decisions 75 and 88); both have their own tests. */
const found = ["sandbox-held.full", "sandbox-held.degraded", "inspector.cjs"];

export async function openBench(engine: Engine, slots = 1, mode: Sandbox["mode"] = "full"): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-bench-"));
  const { sandbox, inspector, told } = await openGround(folder, mode);
  const host = { sandbox, inspector, slots, spare: 0, log: told };
  const open = await engine.open(host);
  const entries = entriesIn(folder);
  const verdicts = createVerdicts(inspector);
  let count = 0;
  const put = async (name: string, content: string | Uint8Array): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
  return {
    folder,
    sandbox,
    engine: open,
    host,
    verdicts,
    put,
    async given(content, format) {
      count += 1;
      return put(`given-${count}.${format}`, content);
    },
    async convert(input, from, to, options = {}, timeoutMs = 120_000) {
      const hop = hopOf(engine, from, to);
      count += 1;
      const number = count;
      const file: FileRef = { path: join(folder, `in-${number}.${from}`), format: from, sizeBytes: (await stat(input)).size };
      // Blobs are read-only, and so is the input here.
      await copyFile(input, file.path);
      const outputPath = join(folder, `out-${number}.${to}`);
      const notes = new Map<NoteCode, string | undefined>();
      await open.run({
        hop,
        input: file,
        outputPath,
        options: { ...defaultsOf(hop), ...options },
        timeoutMs,
        signal: new AbortController().signal,
        note: (code, message) => void notes.set(code, message),
        progress: (fraction) => expect(fraction).toBeGreaterThanOrEqual(0),
        convertEntry: entries.convert,
      });
      await noteMetadata(verdicts, file, { path: outputPath, format: to }, options, (code, message) => void notes.set(code, message));
      // Every note must have been announced to clients that queried the route first.
      expect([...notes.keys()].filter((code) => !isExpected(hop, code, options))).toEqual([]);
      return { path: outputPath, notes };
    },
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]();
      await entries[Symbol.asyncDispose]();
      await inspector[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A bench for the tests of this file, or of the `describe` that calls it. */
export function useBench(...args: Parameters<typeof openBench>): Bench {
  return opened(() => openBench(...args));
}

/** The infrastructure of engines, in its own folder. */
async function openGround(folder: string, mode: Sandbox["mode"]) {
  // Engines in the degraded sandbox reach their folders through this one.
  if (mode === "degraded") await chmod(folder, 0o711);
  const kept = join(folder, "found");
  await mkdir(kept);
  await putFound(kept, found);
  const log = openLog("error");
  const told = (event: string, fields?: Readonly<Record<string, unknown>>): void => log.info(event, fields);
  const settings = {
    scratchDir: join(folder, "scratch"),
    firstUid: 61_800,
    memoryBytes: 2 * 2 ** 30,
    log,
    provenFile: join(kept, "sandbox-held"),
  };
  const sandbox = mode === "full" ? await openSandbox({ ...settings, mode: "required" }) : await openDegradedSandbox(settings);
  const inspector = await openInspectors({ sandbox, folder, keptProgram: join(kept, "inspector.cjs"), log: told });
  await keepFound(kept, found);
  return { sandbox, inspector, told };
}

export function hopOf(engine: Engine, from: string, to: string): Hop {
  const hop = engine.hops.find((each) => each.from === from && each.to === to);
  if (hop === undefined) throw new Error(`${engine.id} has no hop from ${from} to ${to}`);
  return hop;
}

function hopAt(engine: Engine, index: number): Hop {
  const hop = engine.hops[index];
  if (hop === undefined) throw new Error(`${engine.id} has no hops`);
  return hop;
}

export function defaultsOf(hop: Hop): OptionValues {
  return Object.fromEntries(hop.options.flatMap((option) => (option.default === undefined ? [] : [[option.name, option.default]])));
}

export type ContractOptions = {
  /** Creates a sample of a format in a folder and returns its path. The hop is given for those that need a special sample. */
  sample(format: string, folder: string, hop: Hop): Promise<string>;
  /** Additional checks of a result. */
  check?(hop: Hop, reading: Reading, path: string): void | Promise<void>;
};

/**
 * Registers the suite. Runs take turns with the hops, since `npm run prove` has run all of them; a format without a sample or reader fails.
 */
export function testEngine(engine: Engine, options: ContractOptions): void {
  describe(`engine ${engine.id}`, () => {
    const bench = useBench(engine);

    it("reports its version from inside the sandbox", async () => {
      expect(await engine.probe(bench.sandbox)).toMatch(/\d/);
    });

    it("declares each hop once, with distinct option names and defaults in range", () => {
      expect(new Set(engine.hops.map((hop) => `${hop.from}>${hop.to}`)).size).toBe(engine.hops.length);
      for (const hop of engine.hops) {
        expect(new Set(hop.options.map((option) => option.name)).size).toBe(hop.options.length);
        for (const option of hop.options) {
          if (option.type !== "integer" && option.type !== "number") continue;
          expect(option.min).toBeLessThan(option.max);
          if (option.default !== undefined) expect(option.default).toBeGreaterThanOrEqual(option.min);
          if (option.default !== undefined) expect(option.default).toBeLessThanOrEqual(option.max);
        }
      }
    });

    it.each(engine.hops.map((hop) => [hop.from, hop.to, hop] as const))("converts %s to %s", async (from, to, hop) => {
      const { path } = await bench.convert(await options.sample(from, bench.folder, hop), from, to);
      await bench.verdicts.checkResult(path, to);
      const reading = await readingOf(path);
      expect(mimesOf[to], `a reader of ${to}`).toContain(reading.mime);
      await options.check?.(hop, reading, path);
    });

    it("rejects a file of another format", async () => {
      const hop = hopAt(engine, 0);
      const junk = join(bench.folder, "junk");
      await writeFile(junk, Buffer.alloc(4096, 0x5a));
      await expect(bench.convert(junk, hop.from, hop.to)).rejects.toMatchObject({ name: "FilemillError" });
    });
  });
}
