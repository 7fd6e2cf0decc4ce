import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLog } from "#kit/log.ts";
import { catalogueOf } from "#services/catalogue/index.ts";
import { openEngines } from "#services/conversion/adapters/converter.ts";
import { defineEngine, type HopTask } from "#services/conversion/domain/engine.ts";
import { noInspector } from "#test/services/conversion/inspectors/test-inspectors.ts";
import { openHost } from "#test/services/conversion/sandbox/host.ts";

const usual = { fidelity: "high", cost: 1, async: false, maxInputMb: 10, options: [] } as const;

test("limits an engine's CPU time by the file's size and the engine's lane", async () => {
  const tasks: HopTask[] = [];
  const recorder = (id: string, lane: "image" | "media", from: string, to: string) =>
    defineEngine({
      ...{ id, label: id, lane, packages: [] },
      badInput: [],
      probe: async () => "1",
      hops: [{ from, to, ...usual }],
      open: async () => ({
        run: async (task) => {
          tasks.push(task);
          await writeFile(task.outputPath, "made");
        },
        [Symbol.asyncDispose]: async () => undefined,
      }),
    });
  await using host = await openHost("full");
  const workDir = await mkdtemp(join(tmpdir(), "filemill-converter-"));
  try {
    await using converter = await openEngines({
      sandbox: host.sandbox,
      inspector: noInspector,
      engines: [recorder("pictures", "image", "png", "webp"), recorder("sounds", "media", "wav", "mp3")],
      workDir,
      slots: { image: 1, document: 0, office: 0, media: 1 },
      timeoutMs: 1000,
      log: openLog("silent"),
      unlock: async () => undefined,
      inspect: async () => undefined,
      checkResult: async () => undefined,
      metadata: async () => undefined,
      count: async () => undefined,
    });
    const catalogue = catalogueOf([converter.manifest("n")]);
    const input = join(workDir, "input");
    for (const [from, to, bytes] of [
      ["png", "webp", 2000],
      ["png", "webp", 3_000_000],
      ["wav", "mp3", 2000],
    ] as const) {
      await writeFile(input, Buffer.alloc(bytes));
      const plan = catalogue.plan({ from, to, options: {} });
      await converter.run(plan, input, converter.newPath(to), { signal: new AbortController().signal });
    }
    expect(tasks.map(({ cpuSeconds }) => cpuSeconds)).toEqual([121, 390, Infinity]);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
});
