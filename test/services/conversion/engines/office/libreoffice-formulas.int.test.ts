import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { utils, write } from "@e965/xlsx";
import { unzipSync, zipSync } from "fflate";
import { expect, test } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { useBench } from "#test/contract/engine.ts";
import { docx } from "#test/contract/word-file.ts";

const bench = useBench(libreofficeEngine);

const letter = (name: string) => `<m:r><m:t>${name}</m:t></m:r>`;
const fraction = `<m:f><m:num>${letter("q")}</m:num><m:den>${letter("z")}</m:den></m:f>`;
const math = `<m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">${fraction}</m:oMath>`;

test("renders the formulas of a document in its PDF", async () => {
  const source = join(bench.folder, "formula.docx");
  await writeFile(source, docx(`<w:p>${math}</w:p>`));
  const { path } = await bench.convert(source, "docx", "pdf");
  expect((await promisify(execFile)("pdftotext", [path, "-"])).stdout).toMatch(/q\s+z/);
});

test("keeps all of many formulas in RTF, and its braces in pairs", async () => {
  const source = join(bench.folder, "formulas.docx");
  await writeFile(source, docx(`<w:p><w:r><w:t>Be </w:t></w:r>${math}</w:p>`.repeat(24)));
  const made = await readFile((await bench.convert(source, "docx", "rtf")).path, "latin1");
  expect(made.match(/\{\\\*\\moMath/g)).toHaveLength(24);
  const bare = made.replace(/\\[{}\\]/g, "");
  expect(bare.split("{")).toHaveLength(bare.split("}").length);
});

/** The parts of a workbook that the office wrote, so that it trusts the results in it. */
async function officeBook(rows: string) {
  const table = join(bench.folder, "one.csv");
  await writeFile(table, "1\n");
  const parts = unzipSync(await readFile((await bench.convert(table, "csv", "xlsx")).path));
  const sheet = Buffer.from(parts["xl/worksheets/sheet1.xml"] ?? "").toString();
  parts["xl/worksheets/sheet1.xml"] = Buffer.from(sheet.replace(/<sheetData>.*<\/sheetData>/s, `<sheetData>${rows}</sheetData>`));
  return parts;
}

const volatile =
  '<row r="1"><c r="A1"><f>RAND()*9</f><v>44000.5</v></c><c r="B1"><f>A1+1</f><v>44001.5</v></c><c r="C1" t="str"><f>CELL("filename")</f><v>C:\\[x.xlsx]S</v></c><c r="D1"><f>Dice</f><v>7</v></c></row>';

test.each([
  ["ods", []],
  ["fods", []],
  ["xlsm", []],
  ["html", []],
  ["xls", ["Sheet1.A1", "Sheet1.D1"]],
] as const)("keeps the file's results of NOW() and the like in %s, or notes that they are new", async (to, places) => {
  const parts = await officeBook(volatile);
  const book = Buffer.from(parts["xl/workbook.xml"] ?? "").toString();
  const names = '<definedNames><definedName name="Dice">RANDBETWEEN(8,9)</definedName></definedNames>';
  parts["xl/workbook.xml"] = Buffer.from(book.replace("<calcPr", `${names}<calcPr`));
  const source = join(bench.folder, "volatile.xlsx");
  await writeFile(source, zipSync(parts));
  const made = await bench.convert(source, "xlsx", to);
  const changed = places.length > 0 ? ` Results of formulas, such as of NOW(), were computed anew: ${places.join(", ")}.` : "";
  const replaced = "Formulas that cannot be computed here were replaced by their results: Sheet1.C1.";
  expect(made.notes.get("TEXT_LEFT_OUT")).toBe(changed === "" ? undefined : replaced + changed);
  if (to === "html") {
    expect(await readFile(made.path, "utf8")).toMatch(/sdval="44000.5".*sdval="44001.5".*C:\\\[x.xlsx\]S.*sdval="7"/s);
  } else if (to !== "xls") {
    const table = await bench.convert(made.path, to, "csv");
    expect(await readFile(table.path, "utf8")).toMatch(/44000.5,44001.5,C:\\\[x.xlsx\]S,7/);
  }
});

test("keeps an error of the file beside results that are held; it became 0", async () => {
  const cells = '<c r="A1"><f>RAND()*9</f><v>44000.5</v></c><c r="B1" t="e"><f>NOSUCH(1)</f><v>#N/A</v></c>';
  const source = join(bench.folder, "errors.xlsx");
  await writeFile(source, zipSync(await officeBook(`<row r="1">${cells}</row>`)));
  const { path } = await bench.convert(source, "xlsx", "ods");
  expect(await readFile((await bench.convert(path, "ods", "csv")).path, "utf8")).toBe("44000.5,#N/A\n");
});

test("computes the formulas of a workbook that asks for it, as its zeros are no results", async () => {
  const parts = await officeBook(
    '<row r="1"><c r="A1"><v>2</v></c><c r="B1"><f>A1*3</f><v>0</v></c><c r="C1"><f>NOSUCH(1)</f><v>0</v></c></row>',
  );
  const book = Buffer.from(parts["xl/workbook.xml"] ?? "").toString();
  parts["xl/workbook.xml"] = Buffer.from(book.replace("<calcPr ", '<calcPr fullCalcOnLoad="1" '));
  const source = join(bench.folder, "stale.xlsx");
  await writeFile(source, zipSync(parts));
  const made = await bench.convert(source, "xlsx", "csv");
  expect(await readFile(made.path, "utf8")).toMatch(/^2,6,/);
  expect(made.notes.get("TEXT_LEFT_OUT")).toBe("Formulas without a result use unknown functions or names: Sheet1.C1.");
});

test("computes the formulas of an old workbook that has no results, without a note that they changed", async () => {
  const sheet = utils.aoa_to_sheet([[2, 0, 0]]);
  // A1*3 and 1/0, with an empty text for a result.
  for (const [place, parsed] of Object.entries({ B1: "090044000000c01e030005", C1: "07001e01001e000006" }))
    Object.assign(sheet[place], { v: undefined, bf: Buffer.from(parsed, "hex") });
  const source = join(bench.folder, "old.xls");
  await writeFile(source, write(utils.book_new(sheet, "S"), { type: "buffer", bookType: "biff8" }) as Buffer);
  const made = await bench.convert(source, "xls", "csv");
  expect(await readFile(made.path, "utf8")).toBe("2,6,#DIV/0!\n");
  expect([...made.notes.keys()]).toEqual([]);
  expect([...(await bench.convert(source, "xls", "ods")).notes.keys()]).toEqual([]);
});

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const relations = (...each: readonly string[]) =>
  Buffer.from(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${each.join("")}</Relationships>`);
const relation = (id: string, type: string, target: string) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;

test("shows a pivot table of Excel as the file does, with a note that it became cells", async () => {
  const text = (place: string, said: string) => `<c r="${place}" t="inlineStr"><is><t>${said}</t></is></c>`;
  const parts = await officeBook(
    `<row r="1">${text("A1", "Kind")}${text("B1", "Size")}${text("D1", "Row Labels")}${text("E1", "Sum of Size")}</row>` +
      `<row r="2">${text("A2", "a")}<c r="B2"><v>1</v></c>${text("D2", "a")}<c r="E2"><v>3</v></c></row>` +
      `<row r="3">${text("A3", "a")}<c r="B3"><v>2</v></c>${text("D3", "Grand Total")}<c r="E3"><v>3</v></c></row>`,
  );
  const caches = relation("rId99", "pivotCacheDefinition", "pivotCache/pivotCacheDefinition1.xml");
  const [book, rels, types] = ["xl/workbook.xml", "xl/_rels/workbook.xml.rels", "[Content_Types].xml"].map((name) =>
    Buffer.from(parts[name] ?? "").toString(),
  );
  const kind = "application/vnd.openxmlformats-officedocument.spreadsheetml";
  const typeOf = (name: string, what: string) => `<Override PartName="/xl/${name}1.xml" ContentType="${kind}.${what}+xml"/>`;
  const added = `${typeOf("pivotCache/pivotCacheDefinition", "pivotCacheDefinition")}${typeOf("pivotTables/pivotTable", "pivotTable")}`;
  const cached = `<pivotCaches><pivotCache xmlns:r="${office}" cacheId="1" r:id="rId99"/></pivotCaches>`;
  Object.assign(parts, {
    "xl/workbook.xml": Buffer.from((book ?? "").replace("</workbook>", `${cached}</workbook>`)),
    "xl/_rels/workbook.xml.rels": Buffer.from((rels ?? "").replace("</Relationships>", `${caches}</Relationships>`)),
    "[Content_Types].xml": Buffer.from((types ?? "").replace("</Types>", `${added}</Types>`)),
    "xl/worksheets/_rels/sheet1.xml.rels": relations(relation("rId1", "pivotTable", "../pivotTables/pivotTable1.xml")),
    "xl/pivotTables/_rels/pivotTable1.xml.rels": relations(
      relation("rId1", "pivotCacheDefinition", "../pivotCache/pivotCacheDefinition1.xml"),
    ),
    "xl/pivotCache/pivotCacheDefinition1.xml": Buffer.from(
      `<pivotCacheDefinition ${main} refreshOnLoad="1"><cacheSource type="worksheet"><worksheetSource ref="A1:B3" sheet="Sheet1"/></cacheSource><cacheFields count="2"><cacheField name="Kind"><sharedItems count="1"><s v="a"/></sharedItems></cacheField><cacheField name="Size"><sharedItems containsSemiMixedTypes="0" containsString="0" containsNumber="1" minValue="1" maxValue="2"/></cacheField></cacheFields></pivotCacheDefinition>`,
    ),
    "xl/pivotTables/pivotTable1.xml": Buffer.from(
      `<pivotTableDefinition ${main} name="P" cacheId="1" dataCaption="Values"><location ref="D1:E3" firstHeaderRow="1" firstDataRow="1" firstDataCol="1"/><pivotFields count="2"><pivotField axis="axisRow" showAll="0"><items count="2"><item x="0"/><item t="default"/></items></pivotField><pivotField dataField="1" showAll="0"/></pivotFields><rowFields count="1"><field x="0"/></rowFields><rowItems count="2"><i><x/></i><i t="grand"><x/></i></rowItems><colItems count="1"><i/></colItems><dataFields count="1"><dataField name="Sum of Size" fld="1"/></dataFields></pivotTableDefinition>`,
    ),
  });
  const source = join(bench.folder, "pivot.xlsx");
  await writeFile(source, zipSync(parts));
  const made = await bench.convert(source, "xlsx", "ods");
  expect(made.notes.get("TEXT_LEFT_OUT")).toBe("Pivot tables became the cells that they show.");
  const table = await bench.convert(made.path, "ods", "csv");
  expect(await readFile(table.path, "utf8")).toBe("Kind,Size,,Row Labels,Sum of Size\na,1,,a,3\na,2,,Grand Total,3\n");
});

test("notes the links that Word 2003 XML loses with their text", async () => {
  const source = join(bench.folder, "linked.html");
  await writeFile(source, '<p>before <a href="https://example.org/">link</a></p>');
  const made = await bench.convert((await bench.convert(source, "html", "odt")).path, "odt", "docx2003");
  expect(made.notes.get("TEXT_LEFT_OUT")).toBe("Links were left out, with their text.");
});

test("postal codes keep their leading zeros in CSV, and comments and addresses of links are left out with a note", async () => {
  const sheet = utils.aoa_to_sheet([
    ["zip"],
    [{ t: "n", v: 713, z: "00000", c: [{ a: "Ada", t: "A remark" }], l: { Target: "https://example.org/" } }],
    [{ t: "n", v: 713, z: "0.0" }],
  ]);
  const source = join(bench.folder, "codes.xlsx");
  await writeFile(source, write(utils.book_new(sheet, "S"), { type: "buffer", bookType: "xlsx" }) as Buffer);
  const made = await bench.convert(source, "xlsx", "csv");
  expect(await readFile(made.path, "utf8")).toBe("zip\n00713\n713\n");
  expect(made.notes.get("TEXT_LEFT_OUT")).toBe("Comments were left out. Link addresses of cells were left out.");
});

test("addresses behind labels of formulas are left out of CSV with a note", async () => {
  for (const [name, formula, isNoted] of [
    ["labelled", 'HYPERLINK("https://example.org/","Site")', true],
    ["plain", 'HYPERLINK("https://example.org/")', false],
  ] as const) {
    const sheet = utils.aoa_to_sheet([["site"], [{ t: "s", f: formula }]]);
    const source = join(bench.folder, `${name}.xlsx`);
    await writeFile(source, write(utils.book_new(sheet, "S"), { type: "buffer", bookType: "xlsx" }) as Buffer);
    const { notes } = await bench.convert(source, "xlsx", "csv");
    expect(notes.get("TEXT_LEFT_OUT"), name).toBe(isNoted ? "Link addresses of cells were left out." : undefined);
  }
});
