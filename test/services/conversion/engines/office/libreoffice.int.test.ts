import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { SandboxChild } from "#services/conversion/domain/sandbox.ts";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { treeOf } from "#services/conversion/sandbox/usage.ts";
import { type Bench, defaultsOf, hopOf, openBench, testEngine, useBench } from "#test/contract/engine.ts";
import { readingOf } from "#test/contract/readers.ts";
import { russian, textOf } from "#test/services/conversion/engines/documents/document-text.ts";
import { childWith } from "#test/services/conversion/engines/shared/child-with.ts";

const run = promisify(execFile);
const corpus = join(import.meta.dirname, "../../../../corpus/office");
const committed = new Map(readdirSync(corpus).map((name) => [name.slice(name.indexOf(".") + 1), join(corpus, name)]));
const plain = "Quokka heading\nA paragraph with Ünïcødé in it.\n";
const table = "Quokka;Count\nÜnïcødé;1\n";
const written: Readonly<Record<string, string>> = {
  txt: plain,
  html: `<!DOCTYPE html><html><head><meta charset="utf-8"></head><body><h1>Quokka</h1><p>Ünïcødé</p></body></html>`,
  rtf: "{\\rtf1\\ansi {\\b Quokka} heading\\par \\u220?n\\u239?c\\u248?d\\u233?}",
  csv: table,
  tsv: table.replaceAll(";", "\t"),
};
const withPicture = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>
<draw:frame text:anchor-type="as-char" svg:width="3cm" svg:height="3cm"><draw:image><office:binary-data>iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC</office:binary-data></draw:image></draw:frame>
</text:p></office:text></office:body></office:document>`;
const hubs = ["docx", "ods", "odp", "odg"];

describe("hops", () => {
  const maker = useBench(libreofficeEngine);

  async function sample(format: string, folder: string): Promise<string> {
    const found = committed.get(format);
    if (found !== undefined) return found;
    const path = join(folder, `sample.${format}`);
    const text = written[format];
    if (text !== undefined) {
      await writeFile(path, text);
      return path;
    }
    const hub = hubs.find((each) => libreofficeEngine.hops.some(({ from, to }) => from === each && to === format));
    if (hub === undefined) throw new Error(`no sample of ${format}`);
    await copyFile((await maker.convert(await sample(hub, folder), hub, format)).path, path);
    return path;
  }

  const canBeMade = (format: string) =>
    committed.has(format) || format in written || libreofficeEngine.hops.some(({ from, to }) => hubs.includes(from) && to === format);
  const hops = libreofficeEngine.hops.filter(({ from, to }) => canBeMade(from) && (hubs.includes(from) || to === "pdf"));
  const showsNoText = new Set(["png", "jpg", "webp", "tiff", "emf", "wmf", "svg", "eps"]);
  const hasNoMarker = new Set(["vsdx", "gnumeric", "abw", "wpd", "emf", "wmf"]);
  testEngine(
    { ...libreofficeEngine, hops },
    {
      sample,
      async check(hop, reading, path) {
        if (hop.to === "pdf") expect(reading.pages).toBeGreaterThan(0);
        if (!showsNoText.has(hop.to) && !hasNoMarker.has(hop.from)) expect(await textOf(path)).toMatch(/quokka/i);
      },
    },
  );
});

describe("engine libreoffice, in detail", () => {
  const bench = useBench(libreofficeEngine);
  const given = (format: string) => committed.get(format) ?? "";

  const csvOf = async (input: string, from: string, options = {}) => {
    const made = await bench.convert(input, from, "csv", options);
    return { ...made, text: await readFile(made.path, "utf8") };
  };

  it("keeps apparent formulas, leading zeros and long numbers as text", async () => {
    const cells = ["=1+1", "007", "+4930123456", "12345678901234567890", "Ünïcødé", "3.5"];
    const input = await bench.put("cells.csv", `a,b,c,d,e,f\n${cells.join(",")}\n`);
    const book = await bench.convert(input, "csv", "xlsx");
    const { text } = await csvOf(book.path, "xlsx");
    expect(text.trim().split("\n")[1]).toBe(cells.join(","));
    const xml = (await run("unzip", ["-p", book.path, "xl/worksheets/sheet1.xml"])).stdout;
    expect(xml).not.toContain("<f>");
    expect(xml).toContain("<v>3.5</v>");
  });

  it("guesses the encoding with a note, unless it is given", async () => {
    const latin = await bench.put("latin.csv", Buffer.from("name;wert\nMüller;1\n", "latin1"));
    const guessed = await csvOf((await bench.convert(latin, "csv", "ods")).path, "ods");
    expect(guessed.text).toBe("name,wert\nMüller,1\n");
    expect((await bench.convert(latin, "csv", "ods")).notes.has("ENCODING_GUESSED")).toBe(true);
    const named = await bench.convert(latin, "csv", "ods", { encoding: "iso-8859-1", delimiter: "semicolon" });
    expect(named.notes.has("ENCODING_GUESSED")).toBe(false);
    const cyrillic = await bench.convert(await bench.put("cyrillic.txt", russian.bytes), "txt", "docx");
    expect(cyrillic.notes.get("ENCODING_GUESSED")).toBe("The text encoding was guessed to be windows-1251.");
    expect(await textOf(cyrillic.path)).toContain(russian.text);
    const wide = await bench.put("wide.txt", Buffer.from("\ufeffMüller Straße", "utf16le"));
    expect(await textOf((await bench.convert(wide, "txt", "docx")).path)).toContain("Müller Straße");
  });

  it("guesses the encoding of an HTML page that does not declare it", async () => {
    const page = "<html><head><title>Q</title></head><body><h1>Café</h1><p>plain</p></body></html>";
    for (const to of ["pdf", "odt"]) {
      const made = await bench.convert(await bench.put("undeclared.html", Buffer.from(page, "latin1")), "html", to);
      expect(await textOf(made.path)).toMatch(/Café.*plain/s);
      expect(made.notes.get("ENCODING_GUESSED")).toBe("The text encoding was guessed to be windows-1252.");
      const russianPage = Buffer.concat([Buffer.from("<html><body><h1>"), russian.bytes, Buffer.from("</h1><p>plain</p></body></html>")]);
      expect(await textOf((await bench.convert(await bench.put("russian.html", russianPage), "html", to)).path)).toContain(russian.text);
    }
  });

  it("converts the requested sheet", async () => {
    const first = await csvOf(given("xlsx"), "xlsx", { outputDelimiter: "semicolon" });
    expect(first.text).toContain("Quokka;Count");
    expect(first.notes.has("SHEETS_LEFT_OUT")).toBe(true);
    expect((await csvOf(given("xlsx"), "xlsx", { sheet: "2" })).text).toContain("giraffe sheet two");
    const second = await textOf((await bench.convert(given("xlsx"), "xlsx", "pdf", { sheet: "2" })).path);
    expect(second).toContain("giraffe sheet two");
    expect(second).not.toContain("zebracell");
    await expect(bench.convert(given("xlsx"), "xlsx", "csv", { sheet: "9" })).rejects.toMatchObject({ code: "INVALID_OPTION" });
  });

  it("embeds pictures in HTML", async () => {
    const made = await bench.convert(await bench.put("picture.fodt", withPicture), "fodt", "html");
    expect(await readFile(made.path, "utf8")).toContain('<img src="data:image/png;base64,');
  });

  it.each([
    '<meta http-equiv="X-UA-Compatible" content="IE=edge">',
    `<META content="default-src 'none'" HTTP-EQUIV=Content-Security-Policy>`,
    '<meta property="og:title" content="Every page of today > has it"><meta itemprop="x">',
    '<meta name="created" content="00:00:00"/>',
  ])("survives %s, which crashes LibreOffice", async (meta) => {
    const page = join(bench.folder, "meta.html");
    await writeFile(page, `<!DOCTYPE html><html><head>${meta}<title>t</title></head><body><p>Quokka</p></body></html>`);
    expect(await textOf((await bench.convert(page, "html", "pdf")).path)).toContain("Quokka");
    expect(await readFile((await bench.convert(page, "html", "xhtml")).path, "utf8")).toContain("Quokka");
  });

  it("applies the PDF options", async () => {
    const archive = await readFile((await bench.convert(given("docx"), "docx", "pdf", { pdfVersion: "pdfa-2" })).path, "latin1");
    expect(archive).toMatch(/pdfaid:part>2</);
    const slides = await bench.convert(given("odp"), "odp", "pdf");
    const two = await bench.convert(given("odp"), "odp", "pdf", { pages: "1-2" });
    expect((await readingOf(slides.path)).pages).toBeGreaterThan(2);
    expect((await readingOf(two.path)).pages).toBe(2);
    const size = async (path: string) =>
      /Page size:\s+([\d.]+) x ([\d.]+)/
        .exec((await run("pdfinfo", [path])).stdout)
        ?.slice(1)
        .map(Number) ?? [];
    const [width = 0, height = 0] = await size((await bench.convert(given("docx"), "docx", "pdf", { landscape: true })).path);
    expect(width).toBeGreaterThan(height);
  });

  it("distinguishes password protection from damage", async () => {
    const locked = join(bench.folder, "locked.xls");
    // BIFF8: BOF of the workbook, then FilePass, at the first sector of a compound file.
    const file = Buffer.alloc(4096);
    Buffer.from("d0cf11e0a1b11ae1", "hex").copy(file);
    Buffer.from("0908100000060500bb0dcc0700000000060000002f000200", "hex").copy(file, 512);
    await writeFile(locked, file);
    await expect(bench.convert(locked, "xls", "pdf")).rejects.toMatchObject({ code: "PASSWORD_REQUIRED" });
    const sealed = Buffer.concat([
      Buffer.from("d0cf11e0a1b11ae1", "hex"),
      Buffer.alloc(1024),
      Buffer.from("EncryptedPackage", "utf16le"),
      Buffer.alloc(512),
    ]);
    await expect(bench.convert(await bench.put("sealed.docx", sealed), "docx", "pdf")).rejects.toMatchObject({ code: "PASSWORD_REQUIRED" });
    const half = (await readFile(given("docx"))).subarray(0, 9000);
    await expect(bench.convert(await bench.put("half.docx", half), "docx", "pdf")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(bench.convert(given("xlsx"), "docx", "pdf")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(bench.convert(await bench.put("picture.docx", "fill 'url(https://x)'"), "docx", "pdf")).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  });

  it("does not fetch anything that a document links to", async () => {
    let hits = 0;
    const canary = createServer((socket) => {
      hits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
    const address = canary.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const html = `<html><body><p>Quokka</p><img src="http://127.0.0.1:${port}/a.png"><img src="file:///usr/share/pixmaps/debian-logo.png"></body></html>`;
    const { path } = await bench.convert(await bench.put("link.html", html), "html", "odt");
    expect(await textOf(path)).toContain("Quokka");
    expect((await readingOf(path)).entries?.some((entry) => entry.startsWith("Pictures/"))).toBe(false);
    expect(hits).toBe(0);
    canary.close();
  });

  it("stops at the time limit and converts the next document", async () => {
    await expect(bench.convert(given("pptx"), "pptx", "pdf", {}, 5)).rejects.toMatchObject({ code: "CONVERSION_TIMEOUT" });
    expect((await readingOf((await bench.convert(given("docx"), "docx", "pdf")).path)).pages).toBeGreaterThan(0);
  });
});

/** An engine with one LibreOffice process, and all the children that it started. */
async function openOffice(bench: Bench, dress: (child: SandboxChild) => SandboxChild = (child) => child) {
  const children: SandboxChild[] = [];
  const spawn: typeof bench.sandbox.spawn = async (command) => {
    const child = dress(await bench.sandbox.spawn(command));
    children.push(child);
    return child;
  };
  const engine = await libreofficeEngine.open({ ...bench.host, slots: 1, sandbox: { ...bench.sandbox, spawn } });
  const taskOf = async (from: string, content: string | Buffer, outputPath: string): Promise<HopTask> => {
    const path = join(bench.folder, `in.${from}`);
    await writeFile(path, content);
    const hop = hopOf(libreofficeEngine, from, "pdf");
    const more = { timeoutMs: 60_000, signal: new AbortController().signal, note: () => undefined, progress: () => undefined };
    return { hop, input: { path, format: from, sizeBytes: 1 }, outputPath, options: defaultsOf(hop), ...more };
  };
  return { children, engine, taskOf, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

it("leaves nothing of a document in its job folder or temporary files", async () => {
  await using bench = await openBench(libreofficeEngine, 0);
  await using office = await openOffice(bench);
  const inside = async (folder: string): Promise<string[]> => {
    const process = treeOf(office.children[0]?.pid ?? 0).at(-1);
    const found = await readdir(`/proc/${process}/root${folder}`, { recursive: true, withFileTypes: true });
    return found.filter((entry) => entry.isFile() && !entry.parentPath.includes("/profile")).map(({ name }) => name);
  };
  for (const [from, content] of [
    ["csv", "one;two\nsecret;3\n"],
    ["html", '<meta http-equiv="x-ua-compatible" content="x"><p>secret'],
    ["docx", await readFile(committed.get("docx") ?? "")],
    ["docx", "damaged"],
  ] as const) {
    await office.engine.run(await office.taskOf(from, content, join(bench.folder, `${from}.pdf`))).catch(() => undefined);
    expect(await inside("/tmp")).toEqual([]);
    await expect.poll(() => inside("/job")).toEqual([]);
  }
  expect(office.children.length).toBe(1);
});

it("replaces a LibreOffice process whose memory has grown", async () => {
  await using bench = await openBench(libreofficeEngine, 0);
  const grown = async (child: SandboxChild) => (await child.memoryBytes()) + 600 * 2 ** 20;
  await using office = await openOffice(bench, (child) => childWith(child, { memoryBytes: () => grown(child) }));
  for (const name of ["one", "two"]) await office.engine.run(await office.taskOf("txt", plain, join(bench.folder, `${name}.pdf`)));
  await office.children[0]?.ended;
  expect(office.children.length).toBeGreaterThan(1);
});

it("distinguishes a killed LibreOffice from a bad document, and runs the next job on a new process", async () => {
  await using bench = await openBench(libreofficeEngine, 0);
  const inside: string[][] = [];
  await using office = await openOffice(bench, (child) => {
    const request: SandboxChild["request"] = (question, bounds) => {
      const answer = child.request(question, bounds);
      if (!JSON.stringify(question).includes("importFilters")) return answer;
      if (inside.push(readdirSync(child.folder).filter((name) => name.endsWith(".in"))) === 1) process.kill(child.pid, "SIGKILL");
      return answer;
    };
    return childWith(child, { request });
  });
  const slides = await readFile(committed.get("pptx") ?? "");
  const outputPath = join(bench.folder, "out.pdf");
  await expect(office.engine.run(await office.taskOf("pptx", slides, outputPath))).rejects.toMatchObject({ kind: "lost" });
  await office.engine.run(await office.taskOf("pptx", slides, outputPath));
  expect([inside.flat().length, office.children.length]).toEqual([2, 2]);
  expect((await readingOf(outputPath)).pages).toBeGreaterThan(0);
});
