import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
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

const asFictionBook = async (text: string) => {
  const [source, picture] = [join(bench.folder, "book.md"), join(bench.folder, "cover.png")];
  await writeFile(source, text);
  await sharp({ create: { width: 8, height: 8, channels: 3, background: "red" } }).toFile(picture);
  const path = join(bench.folder, "book.epub");
  await promisify(execFile)("pandoc", [source, "-t", "epub3", "--epub-cover-image", picture, "-o", path]);
  const made = await bench.convert(path, "epub", "fb2");
  return { path, notes: made.notes, written: await readFile(made.path, "utf8") };
};

it("keeps headings, tables, links and the language of a book in FictionBook, and the language in HTML", async () => {
  const head = "---\ntitle: T\nlang: de\n---\n\n# Quokka\n\n[there](#far) [elsewhere](#gone)\n\n";
  const { path, notes, written } = await asFictionBook(`${head}| A | B |\n|---|---|\n| 1 | 2 |\n\n# Zebra\n\n[x]{#far}\n`);
  const linked = '<p><a l:href="#section-2">there</a> <a l:href="#section-1">elsewhere</a></p>';
  for (const part of ["<lang>de</lang>", "<title><p>Quokka</p></title>", linked, '<section id="section-2"><title><p>Zebra', "<table>"])
    expect(written).toContain(part);
  expect(notes.size).toBe(0);
  expect(await readFile((await bench.convert(path, "epub", "html")).path, "utf8")).toMatch(/<html[^>]* lang="de"/);
});

it("keeps the cover and the description of a book in FictionBook, and tells of its other properties", async () => {
  const { notes, written } = await asFictionBook(
    "---\ntitle: T\ndescription: '\\<p>Of a \\<b>quokka\\</b>.\\</p>'\npublisher: Zoo\n---\n\n# Quokka\n\nText\n",
  );
  expect(written).toMatch(/<annotation><p>Of a <strong>quokka<\/strong>\.<\/p><\/annotation>.*<coverpage><image /);
  expect(written).toMatch(/<\/title><section id="section-1"><title><p>Quokka/);
  expect(notes.get("TEXT_LEFT_OUT")).toBe("Properties of the document were left out: publisher.");
});

it("leads links of a FictionBook to the sections of texts, code and tables, also before the first heading", async () => {
  const linked = join(bench.folder, "linked.md");
  await writeFile(
    linked,
    `Before [a](#table) [b](#code) [c](#start) [d](#gone) [start]{#start}\n\n# Quokka\n\n\`\`\`{#code}\nx\n\`\`\`\n\n# Zebra\n\n<table id="table"><tr><td>1</td></tr></table>\n`,
  );
  const { path, notes } = await bench.convert(linked, "md", "fb2");
  const written = await readFile(path, "utf8");
  for (const part of ['<section id="section-1"><p>Before', '#section-3">a<', '#section-2">b<', '#section-1">c<'])
    expect(written).toContain(part);
  expect(notes.get("TEXT_LEFT_OUT")).toBe("Links to places that the document does not have became plain text.");
});

it("leaves out a language that TeX would not know, with a note, as no program could typeset the document", async () => {
  const chinese = join(bench.folder, "chinese.md");
  const texOf = async (lang: string) => {
    await writeFile(chinese, `---\ntitle: T\nlang: ${lang}\n---\n\nText\n`);
    const { path, notes } = await bench.convert((await bench.convert(chinese, "md", "epub")).path, "epub", "tex");
    return [notes.get("TEXT_LEFT_OUT"), /babelprovide.*\{(.*)\}/.exec(await readFile(path, "utf8"))?.[1]];
  };
  expect(await texOf("zh-CN")).toEqual(["Properties of the document were left out: language.", undefined]);
  expect(await texOf("de")).toEqual([undefined, "ngerman"]);
});

it.each([
  ["html", "publisher, rights, tags"],
  ["epub", "tags"],
  ["json", "publisher, rights, tags"],
  ["opml", "publisher, rights, tags"],
  ["docx", undefined],
])("names the properties that %s has no place for", async (to, lost) => {
  const told = join(bench.folder, "told.md");
  const heads = `author: A\ndate: 2001-02-03\npublisher: Zoo\nrights: Free\ncontributor: calibre (6.13.0)\ntags: [a, b]\ntoc: true\nempty: ''\nlang: en`;
  await writeFile(told, `---\ntitle: T\n${heads}\n---\n\nText\n`);
  const { notes } = await bench.convert(told, "md", to);
  expect(notes.get("TEXT_LEFT_OUT")).toBe(lost === undefined ? lost : `Properties of the document were left out: ${lost}.`);
});

it("writes a document in Hebrew from right to left, and others not", async () => {
  const source = join(bench.folder, "direction.md");
  await writeFile(source, "---\ntitle: ספר\nlang: he\n---\n\nשלום עולם.\n");
  expect(await readFile((await bench.convert(source, "md", "html")).path, "utf8")).toMatch(/<html [^>]*dir="rtl"/);
  const { path } = await bench.convert(source, "md", "docx");
  expect((await promisify(execFile)("unzip", ["-p", path, "word/document.xml"])).stdout).toContain("<w:bidi");
  await writeFile(source, "---\ntitle: T\nlang: de\n---\n\nText.\n");
  expect(await readFile((await bench.convert(source, "md", "html")).path, "utf8")).not.toContain('dir="rtl"');
});
