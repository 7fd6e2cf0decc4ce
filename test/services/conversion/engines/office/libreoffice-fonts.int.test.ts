import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { utils, write } from "@e965/xlsx";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { useBench } from "#test/contract/engine.ts";

const run = promisify(execFile);
const bench = useBench(libreofficeEngine);

const textIn = (family: string, unused = "") =>
  `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:styles>
<style:style style:name="Standard" style:family="paragraph"><style:text-properties fo:font-family="${family}"/></style:style>
<style:style style:name="Odd" style:family="paragraph"><style:text-properties fo:font-family="${unused}"/></style:style>
</office:styles><office:body><office:text><text:p text:style-name="Standard">Numbat</text:p></office:text></office:body></office:document>`;

async function noteOf(path: string, from: string): Promise<string | undefined> {
  return (await bench.convert(path, from, "pdf")).notes.get("FONT_SUBSTITUTED");
}

async function byPandoc(name: string): Promise<string> {
  const path = join(bench.folder, name);
  await run("pandoc", ["-o", path, await bench.put("text.md", "# Quokka\n\nA numbat.\n")]);
  return path;
}

it("notes a missing font family, and one replaced by a metric-compatible font", async () => {
  expect(await noteOf(await bench.put("a.fodt", textIn("Quokka Grotesk")), "fodt")).toContain("Quokka Grotesk");
  expect(await noteOf(await bench.put("b.fodt", textIn("Calibri")), "fodt")).toContain("Calibri");
});

it("does not note installed or unused font families", async () => {
  expect(await noteOf(await bench.put("c.fodt", textIn("DejaVu Sans", "Quokka Grotesk")), "fodt")).toBeUndefined();
});

it("finds the fonts of a theme, but not those of unused styles", async () => {
  const said = await noteOf(await byPandoc("a.docx"), "docx");
  expect(said).toMatch(/Calibri|Cambria/);
  // Only used for code, which the document does not contain.
  expect(said).not.toContain("Consolas");
  expect(await noteOf(await byPandoc("a.pptx"), "pptx")).toMatch(/Calibri|Arial/);
});

it("finds the fonts of cells, but not the one that a library names for want of a choice", async () => {
  const sheet = utils.aoa_to_sheet([["Quokka"]]);
  const file = write({ SheetNames: ["One"], Sheets: { One: sheet } }, { type: "buffer", bookType: "xlsx" }) as Buffer;
  expect(await noteOf(await bench.put("a.xlsx", file), "xlsx")).toBeUndefined();
  const parts = unzipSync(file);
  const told = strFromU8(parts["docProps/app.xml"] ?? new Uint8Array()).replace("SheetJS", "Microsoft Excel");
  const chosen = Buffer.from(zipSync({ ...parts, "docProps/app.xml": strToU8(told) }));
  expect(await noteOf(await bench.put("b.xlsx", chosen), "xlsx")).toContain("Calibri");
});

it("survives hostile markup", async () => {
  const odd = textIn("Quokka").replace("<office:body>", `<!-- ${"<style:style ".repeat(200_000)} --><office:body>`);
  expect((await bench.convert(await bench.put("odd.fodt", odd), "fodt", "pdf")).path).toBeDefined();
});
