import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLog } from "#kit/log.ts";
import { openEngines } from "#services/conversion/adapters/converter.ts";
import { openKnownEngines } from "#services/conversion/adapters/known-engines.ts";
import { defineEngine } from "#services/conversion/domain/engine.ts";
import { noInspector } from "#test/services/conversion/inspectors/test-inspectors.ts";
import { type Host, openHost } from "#test/services/conversion/sandbox/host.ts";

const log = openLog("silent");
const usual = { fidelity: "high", cost: 1, async: false, maxInputMb: 10, options: [] } as const;
const never = new AbortController().signal;

let host: Host;
let folder: string;
let packages: string;
let probed: string[];
let versions: Record<string, string | undefined>;
beforeEach(async () => {
  host = await openHost("full");
  folder = await mkdtemp(join(tmpdir(), "filemill-known-"));
  packages = join(folder, "status");
  await writeFile(packages, "Package: tools\n");
  probed = [];
  versions = { pictures: "1", sounds: undefined };
});
afterEach(async () => {
  await host[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a converter whose engines record when their version is requested. */
async function start(mode = "full", database = packages) {
  const engine = (id: string, from: string, to: string) =>
    defineEngine({
      ...{ id, label: id, lane: "image", packages: [] },
      badInput: [],
      async probe() {
        probed.push(id);
        return versions[id];
      },
      hops: [{ from, to, ...usual }],
      open: async () => ({ run: async () => undefined, [Symbol.asyncDispose]: async () => undefined }),
    });
  const converter = await openEngines({
    sandbox: host.sandbox,
    inspector: noInspector,
    engines: [engine("pictures", "png", "webp"), engine("sounds", "wav", "mp3")],
    workDir: folder,
    slots: { image: 1, document: 1, office: 1, media: 1 },
    timeoutMs: 1000,
    log,
    unlock: async () => undefined,
    inspect: async () => undefined,
    checkResult: async () => undefined,
    metadata: async () => undefined,
    count: async () => undefined,
    known: await openKnownEngines(join(folder, "engines.json"), mode, log, database),
  });
  const asked = probed.splice(0).sort();
  return { converter, asked, listed: () => converter.manifest("n").engines.map(({ id, version }) => `${id} ${version}`) };
}

describe("engines known from the last start", () => {
  it("are not probed again at startup unless they were absent", async () => {
    expect((await start()).asked).toEqual(["pictures", "sounds"]);
    versions.sounds = "2";
    const second = await start();
    expect([second.asked, second.listed()]).toEqual([["sounds"], ["pictures 1", "sounds 2"]]);
    expect((await start()).asked).toEqual([]);
  });

  it("include every engine that separate commands have remembered", async () => {
    const file = join(folder, "engines.json");
    const known = await openKnownEngines(file, "full", log, packages);
    await known.remember(new Map([["pictures", "1"]]), true);
    await (await openKnownEngines(file, "full", log, packages)).remember(new Map([["sounds", "2"]]), true);
    expect((await start()).listed()).toEqual(["pictures 1", "sounds 2"]);
    expect(probed).toEqual([]);
  });

  it("are verified later, and lost ones leave the catalogue", async () => {
    await start();
    const { converter, listed } = await start();
    expect(await converter.verify(never)).toBe(true);
    expect(probed.splice(0)).toEqual(["pictures"]);
    versions.pictures = undefined;
    expect(await converter.verify(never)).toBe(false);
    expect(listed()).toEqual([]);
    expect(converter.engines().map(({ version }) => version)).toEqual([undefined, undefined]);
    probed = [];
    expect((await start()).asked).toEqual(["pictures", "sounds"]);
  });

  it("stay listed if a probe was merely slow", async () => {
    await start();
    const { converter, listed } = await start();
    versions.pictures = undefined;
    const verified = converter.verify(never);
    await expect.poll(() => probed).toEqual(["pictures"]);
    versions.pictures = "1";
    expect(await verified).toBe(true);
    expect(listed()).toEqual(["pictures 1"]);
  });

  it("are announced with a new version once it is verified", async () => {
    await start();
    versions.pictures = "1.1";
    const { converter, listed } = await start();
    expect(listed()).toEqual(["pictures 1"]);
    expect(await converter.verify(never)).toBe(false);
    expect(listed()).toEqual(["pictures 1.1"]);
  });

  it("are forgotten if packages or the sandbox changed, or the file or package database is unusable", async () => {
    const all = ["pictures", "sounds"];
    await start();
    expect((await start()).asked).toEqual(["sounds"]);
    await writeFile(packages, "Package: tools\nPackage: more\n");
    expect((await start()).asked).toEqual(all);
    expect((await start("degraded")).asked).toEqual(all);
    expect((await start("degraded", join(folder, "no database"))).asked).toEqual(all);
    for (const text of [
      "",
      "null",
      "[1]",
      `{"state":1,"versions":{}}`,
      (await readFile(join(folder, "engines.json"), "utf8")).slice(0, -9),
    ]) {
      await writeFile(join(folder, "engines.json"), text);
      expect((await start("degraded")).asked).toEqual(all);
    }
  });
});
