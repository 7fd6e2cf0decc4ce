import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { formatOf } from "#formats/index.ts";
import { samplesOf } from "#test/prove/samples.ts";
import { judges, judgesOf } from "./table.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-judges-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("judges only existing formats", () => {
  expect(judges.flatMap(({ formats }) => formats).filter((id) => formatOf(id) === undefined)).toEqual([]);
});

// These two are installed wherever tests run; the others where `prove -- --judge` was run.
it.each([
  ["qpdf", "pdf"],
  ["7z", "docx"],
])("%s accepts a sample, and explains why it refuses a damaged one", async (id, format) => {
  const judge = judgesOf(format).find((each) => each.id === id);
  const [sample] = samplesOf(format);
  expect(await judge?.version()).toMatch(/^\d+\.\d+/);
  expect(await judge?.judge(sample?.path ?? "", format)).toEqual([]);
  const damaged = join(folder, `damaged.${format}`);
  const bytes = await readFile(sample?.path ?? "");
  await writeFile(damaged, bytes.subarray(0, bytes.length / 2));
  expect((await judge?.judge(damaged, format))?.join(" ")).toMatch(/\w{4}/);
});

it("every installed judge refuses a file of another format", async () => {
  const nonsense = join(folder, "nonsense");
  await writeFile(nonsense, "Quokka <zebra");
  const here = (await Promise.all(judges.map(async (judge) => ({ judge, version: await judge.version() })))).filter(
    // A JVM takes seconds to start.
    ({ judge, version }) => version !== undefined && judge.id !== "epubcheck" && judge.id !== "vnu",
  );
  expect(here.length).toBeGreaterThan(1);
  const silent: string[] = [];
  for (const { judge } of here) {
    const said = await judge.judge(nonsense, judge.formats[0] ?? "").catch((error: unknown) => [String(error)]);
    if (said.length === 0) silent.push(judge.id);
  }
  expect(silent).toEqual([]);
});
