import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, beforeEach, expect, it } from "vitest";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { openBench, useBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { cloneIsOpen } from "#test/harness/clone.ts";
import { isRoot } from "#test/services/conversion/sandbox/host.ts";
import { textOf } from "./document-text.ts";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const markdown = `# Quokka\n\n## Zebra\n\nWords\n\n![dot](data:image/png;base64,${pixel})\n\n![gone](gone.png)\n`;
const started: string[] = [];
const bench = useBench({
  ...pandocEngine,
  open({ sandbox, ...host }) {
    const run: typeof sandbox.run = (command) => {
      started.push(command.program);
      return sandbox.run(command);
    };
    return pandocEngine.open({ ...host, sandbox: { ...sandbox, run } });
  },
});
let source: string;

beforeAll(async () => {
  source = join(bench.folder, "source.md");
  await writeFile(source, markdown);
});
beforeEach(() => {
  started.length = 0;
});

it.each(["docx", "odt", "pptx", "epub"])("writes %s in a single run, with the pictures of the source", async (to) => {
  const made = await bench.convert(source, "md", to);
  expect(started).toEqual(["/usr/bin/pandoc"]);
  expect(await textOf(made.path)).toMatch(/Quokka.*Words/s);
  expect((await readingOf(made.path)).entries?.filter((entry) => /(media|Pictures)\/.*\.png$/.test(entry))).toHaveLength(1);
  expect(made.notes.get("IMAGES_REMOVED")).toBe("One picture was left out.");
});

it("carries the pictures of a book into DOCX without a second run", async () => {
  const book = await bench.convert(source, "md", "epub");
  started.length = 0;
  const made = await bench.convert(book.path, "epub", "docx");
  expect(started).toEqual(["/usr/bin/pandoc"]);
  expect((await readingOf(made.path)).entries?.filter((entry) => entry.startsWith("word/media/"))).toHaveLength(1);
});

it("applies the writer's options, and dates the document today rather than 1970", async () => {
  const made = await bench.convert(source, "md", "docx", { toc: true, tocDepth: 2, numberSections: true });
  const part = async (name: string) => (await promisify(execFile)("unzip", ["-p", made.path, name])).stdout;
  expect(await part("word/document.xml")).toMatch(/TOC \\o &quot;1-2&quot;.*SectionNumber/s);
  const created = /<dcterms:created[^>]*>([^<]+)/.exec(await part("docProps/core.xml"))?.[1] ?? "";
  expect(Math.abs(Date.now() - Date.parse(created))).toBeLessThan(3_600_000);
});

it.skipIf(isRoot && !cloneIsOpen)("writes documents in the degraded sandbox, where the folder has another path", async () => {
  await using weaker = await openBench(pandocEngine, 1, "degraded");
  expect(weaker.sandbox.mode).toBe("degraded");
  expect(await textOf((await weaker.convert(source, "md", "docx")).path)).toMatch(/Quokka.*Words/s);
});

it("keeps headings, tables, links and the language of a book in FictionBook, and the language in HTML", async () => {
  const tabled = join(bench.folder, "tabled.md");
  await writeFile(
    tabled,
    "---\ntitle: T\nlang: de\n---\n\n# Quokka\n\n[there](#far) [nowhere](#gone)\n\n| A | B |\n|---|---|\n| 1 | 2 |\n\n# Zebra\n\n[x]{#far}\n",
  );
  const book = (await bench.convert(tabled, "md", "epub")).path;
  const written = await readFile((await bench.convert(book, "epub", "fb2")).path, "utf8");
  const linked = '<p><a l:href="#section-2">there</a> nowhere</p>';
  for (const part of ["<lang>de</lang>", "<title><p>Quokka</p></title>", linked, '<section id="section-2"><title><p>Zebra', "<table>"])
    expect(written).toContain(part);
  expect(await readFile((await bench.convert(book, "epub", "html")).path, "utf8")).toMatch(/<html[^>]* lang="de"/);
});
