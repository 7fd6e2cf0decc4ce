import { execFile } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { calibreEngine } from "#services/conversion/engines/documents/calibre.ts";
import { testEngine, useBench } from "#test/contract/engine.ts";
import { bookTextOf } from "#test/contract/readers-ebook.ts";

const run = promisify(execFile);
const corpus = join(import.meta.dirname, "../../../../corpus");

const bench = useBench(calibreEngine);
const made = new Map<string, string>();

/** Sources that are not in the corpus are made by Calibre itself, once per format. */
async function sample(format: string, folder: string): Promise<string> {
  const known = made.get(format);
  if (known !== undefined) return known;
  const path = await sampleOnce(format, folder);
  made.set(format, path);
  return path;
}

async function sampleOnce(format: string, folder: string): Promise<string> {
  if (format === "epub") return join(corpus, "markup/book.epub");
  if (format === "chm" || format === "fb2") return join(corpus, `typical/ebook/typical.${format}`);
  if (format === "mobi" || format === "prc") return join(corpus, "ebook/book.mobi");
  const path = join(folder, `sample.${format}`);
  await copyFile((await bench.convert(await sample("epub", folder), "epub", format === "azw" ? "azw3" : format)).path, path);
  return path;
}

testEngine(calibreEngine, {
  sample,
  async check({ to }, _reading, path) {
    // Compressed in a way that no independent reader here supports.
    if (to === "lit") return expect((await readFile(path)).length).toBeGreaterThan(2000);
    expect(await bookTextOf(path, to)).toContain("Quokka");
  },
});

describe("engine calibre, in detail", () => {
  it("sets the requested title and author", async () => {
    const { path } = await bench.convert(await sample("mobi", bench.folder), "mobi", "epub", { title: "--Ünï & Co", author: "Ada Zebra" });
    const { stdout } = await run("unzip", ["-p", path, "content.opf"]);
    expect(stdout).toContain(">--Ünï &amp; Co</dc:title>");
    expect(stdout).toContain(">Ada Zebra</dc:creator>");
  });

  it("names the properties of a book that the result lacks", async () => {
    const [text, book] = [join(bench.folder, "said.md"), join(bench.folder, "said.epub")];
    await writeFile(text, "---\ntitle: Travel\nrights: Free for marsupials\npublisher: Emu Press\nlang: de-AT\n---\n# One\n");
    await run("pandoc", [text, "-t", "epub3", "-o", book]);
    const { notes } = await bench.convert(book, "epub", "azw3");
    expect(notes.get("TEXT_LEFT_OUT")).toBe("Properties of the book were left out or shortened: rights.");
    expect((await bench.convert(book, "epub", "mobi", { title: "Other" })).notes.get("TEXT_LEFT_OUT")).toContain("shortened: rights.");
  });

  it("names the damaged pictures of a FictionBook and keeps the others", async () => {
    const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
    const binaries = `<binary id="whole.png" content-type="image/png">${pixel}</binary><binary id="torn.png" content-type="image/png">iVBORw0KGgo$$$</binary>`;
    const shown = '<image l:href="#whole.png"/><image l:href="#torn.png"/>';
    const source = await bench.put(
      "torn.fb2",
      `<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink"><body><section><p>A</p>${shown}</section></body>${binaries}</FictionBook>`,
    );
    const { path, notes } = await bench.convert(source, "fb2", "epub");
    expect(notes.get("INPUT_DAMAGED")).toBe("Pictures are damaged and were left out: torn.png.");
    expect((await run("unzip", ["-Z1", path])).stdout).toContain("whole.png");
  });

  it("keeps the pages of compiled help in the order of its table of contents", async () => {
    const { path } = await bench.convert(await sample("chm", bench.folder), "chm", "epub");
    expect(await bookTextOf(path, "epub")).toMatch(/Quokka[\s\S]*A page of its own/);
  });

  it("takes compiled help without any page for damaged", () => {
    const said = "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/calibre_tmp/x_chm2oeb/.hhc'";
    expect(calibreEngine.badInput?.some((sign) => sign instanceof RegExp && sign.test(said))).toBe(true);
  });

  it("does not invent a cover for a book without one", async () => {
    const { path } = await bench.convert(await sample("chm", bench.folder), "chm", "epub");
    const { stdout } = await run("unzip", ["-Z1", path]);
    expect(stdout).not.toMatch(/cover|titlepage/);
  });

  it("leaves FictionBooks to an engine that keeps headings and tables", () => {
    expect(calibreEngine.hops.filter(({ to }) => to === "fb2")).toEqual([]);
  });

  it("is detected without starting Calibre", async () => {
    expect(await calibreEngine.probe(bench.sandbox)).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
