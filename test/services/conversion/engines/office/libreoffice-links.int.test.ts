/** Addresses of links in text documents, which LibreOffice writes without their escapes. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { useBench } from "#test/contract/engine.ts";

const office = useBench(libreofficeEngine);

async function converted(to: string, ...addresses: readonly string[]) {
  const names = ["office", "text"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const links = addresses.map((address) => `<text:p><text:a xlink:href="${address}">A</text:a></text:p>`).join("");
  const path = join(office.folder, "links.fodt");
  await writeFile(
    path,
    `<?xml version="1.0"?><office:document ${names} xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text>${links}</office:text></office:body></office:document>`,
  );
  const made = await office.convert(path, "fodt", to);
  return { made: await readFile(made.path), note: made.notes.get("TEXT_LEFT_OUT") };
}

const addresses = ["https://x.org/?a=%22q%22&amp;b=%20", "https://x.org/%40me", "mailto:a%40b@x.org", "../up%20x.pdf"];
const targetsIn = (file: Buffer) =>
  [...strFromU8(unzipSync(file)["word/_rels/document.xml.rels"] ?? new Uint8Array()).matchAll(/Target="([^"]*)" TargetMode/g)].map(
    ([, target]) => target,
  );

it("keep their escapes in Word documents", async () => {
  const { made, note } = await converted("docx", ...addresses);
  expect([targetsIn(made), note]).toEqual([addresses, undefined]);
});

it("are named where the writer does not tell which address it was, or escapes are lost", async () => {
  const same = ["https://x.org/%40", "https://x.org/@"];
  const message = "Link addresses lost escapes such as %22 or %40: https://x.org/%40.";
  for (const to of ["docx", "pdf", "doc"]) expect((await converted(to, ...same)).note).toBe(message);
  expect((await converted("docx", "https://x.org/%22#a")).note).toBe(message.replaceAll("x.org/%40", "x.org/%22#a"));
  expect((await converted("pdf", "https://x.org/%22")).note).toBeUndefined();
});

it.each([
  ["rtf", /HYPERLINK "([^"]*)"/g],
  ["html", /href="([^"]*)"/g],
] as const)("to files beside the document and above its folder stay relative in %s", async (to, link) => {
  const given = ["other.docx#a", "../up.pdf", "../../../far/up.pdf", "https://x.org/"];
  const { made } = await converted(to, ...given);
  expect([...made.toString("latin1").matchAll(link)].map(([, target]) => target)).toEqual(given);
});

it("keeps links and tags in PDF/A", async () => {
  const file = (await converted("pdfa", "https://x.org/page")).made.toString("latin1");
  expect(file).toMatch(/pdfaid:part>2</);
  expect(file).toContain("/URI(https://x.org/page)");
  expect(file).toContain("/StructTreeRoot");
});

it("into an OpenDocument itself lead beside it, without our name of it", async () => {
  const parts = unzipSync((await converted("odt", "beside.pdf")).made);
  const content = strFromU8(parts["content.xml"] ?? new Uint8Array()).replace("../beside.pdf", "beside.pdf");
  const path = join(office.folder, "inside.odt");
  await writeFile(path, zipSync({ ...parts, "content.xml": strToU8(content) }));
  expect(targetsIn(await readFile((await office.convert(path, "odt", "docx")).path))).toEqual(["beside.pdf"]);
});

it("of numbers name no folder of ours in XLS, and are noted where only the office would find them", async () => {
  const table = join(office.folder, "one.csv");
  await writeFile(table, "5\n");
  const parts = unzipSync(await readFile((await office.convert(table, "csv", "xlsx")).path));
  const sheet = strFromU8(parts["xl/worksheets/sheet1.xml"] ?? new Uint8Array());
  const link =
    '<hyperlinks><hyperlink xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ref="A1" r:id="rId9"/></hyperlinks>';
  parts["xl/worksheets/sheet1.xml"] = strToU8(sheet.replace("</sheetData>", `</sheetData>${link}`));
  parts["xl/worksheets/_rels/sheet1.xml.rels"] = strToU8(
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="other.xlsx" TargetMode="External"/></Relationships>',
  );
  const path = join(office.folder, "linked.xlsx");
  await writeFile(path, zipSync(parts));
  const old = await readFile((await office.convert(path, "xlsx", "xls")).path);
  expect([old.includes(Buffer.from("file:", "utf16le")), old.includes("file:"), old.includes("other.xlsx")]).toEqual([false, false, true]);
  const { notes } = await office.convert(path, "xlsx", "ods");
  expect(notes.get("TEXT_LEFT_OUT")).toBe("Links of cells with numbers were left out: Sheet1.A1.");
});

it("to cells of a workbook lead to the headings of their sheets in HTML", async () => {
  const names = ["office", "text", "table"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const addresses = ["#'It''s.2'.A1", "#One.A1", "#Corner", "#Nowhere.A1", "https://x.org/#One.A1"];
  const cells = addresses.map((address) => `<text:p><text:a xlink:href="${address}">a</text:a></text:p>`);
  const rows = cells.map(
    (cell) => `<table:table-row><table:table-cell office:value-type="string">${cell}</table:table-cell></table:table-row>`,
  );
  const sheet = (name: string, content: string) => `<table:table table:name="${name}">${content}</table:table>`;
  const range =
    '<table:named-expressions><table:named-range table:name="Corner" table:base-cell-address="$One.$A$1" table:cell-range-address="$One.$A$1"/></table:named-expressions>';
  const book = sheet("One", rows.join("")) + sheet("It's.2", rows[4] ?? "") + range;
  const path = join(office.folder, "cells.fods");
  await writeFile(
    path,
    `<office:document ${names} xmlns:xlink="http://www.w3.org/1999/xlink" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>${book}</office:spreadsheet></office:body></office:document>`,
  );
  const page = await readFile((await office.convert(path, "fods", "html")).path, "utf8");
  expect([...page.matchAll(/<a href="([^"]*)"/g)].map(([, target]) => target)).toEqual([
    "#table1",
    "#table0",
    "#table0",
    "#Nowhere.A1",
    addresses[4],
    addresses[4],
  ]);
  expect(page).toContain('<A NAME="table1">');
});
