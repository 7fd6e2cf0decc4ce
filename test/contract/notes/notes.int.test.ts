/** Each note that a hop announces occurs for at least one file. Every test with a bench checks that no unannounced note occurs. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectationsOf } from "#services/conversion/domain/expectations.ts";
import { engines } from "#services/conversion/engines/registry.ts";
import { useBench } from "#test/contract/engine.ts";
import { writeContent } from "./occurrence.ts";
import { occurrences } from "./occurrences.ts";

it("has a file for each code of each engine", () => {
  const shown = new Set(occurrences.map(({ engine, code }) => `${engine} ${code}`));
  const declared = engines.flatMap(({ id, hops }) => hops.flatMap((hop) => expectationsOf(hop).map(({ code }) => `${id} ${code}`)));
  expect([...new Set(declared)].filter((pair) => !shown.has(pair))).toEqual([]);
});

describe.each(engines.filter(({ id }) => occurrences.some(({ engine }) => engine === id)))("$id", (engine) => {
  const bench = useBench(engine);
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "filemill-notes-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it.each(occurrences.filter((each) => each.engine === engine.id))("raises $code for $hop", async ({ hop, code, content, options }) => {
    const [from = "", to = ""] = hop.split(">");
    const input = join(folder, `${code}-${to}.${from}`);
    await writeContent(content, input, folder);
    expect([...(await bench.convert(input, from, to, options)).notes.keys()]).toContain(code);
  });
});
