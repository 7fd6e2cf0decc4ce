import { readFile } from "node:fs/promises";
import { CFB, read, utils, write } from "@e965/xlsx";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);

/** One cell of a workbook under the header `a`. */
function workbook(value: number, format: string): Buffer {
  const sheet = utils.aoa_to_sheet([["a"], [{ t: "n", v: value, z: format }]]);
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, "S");
  const made: unknown = write(book, { type: "buffer", bookType: "xlsx" });
  return Buffer.from(made as Uint8Array);
}

function openDocument(cell: string, generator?: string): string {
  const names = ["office", "table", "text", "meta"]
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(" ");
  const rows = `<table:table-row><table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell></table:table-row><table:table-row>${cell}</table:table-row>`;
  const meta = generator === undefined ? "" : `<office:meta><meta:generator>${generator}</meta:generator></office:meta>`;
  return `<?xml version="1.0"?><office:document ${names} office:mimetype="application/vnd.oasis.opendocument.spreadsheet">${meta}<office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body></office:document>`;
}

it("the first sheet that is not empty is converted", async () => {
  const book = utils.book_new(utils.aoa_to_sheet([]), "Cover");
  utils.book_append_sheet(book, utils.aoa_to_sheet([["a"], ["kept"]]), "Data");
  const bytes: Buffer = write(book, { type: "buffer", bookType: "xlsx" });
  const { text, notes } = await convert(bytes, "xlsx", "csv");
  expect(text).toBe("a\r\nkept\r\n");
  expect(notes.get("SHEETS_LEFT_OUT")).toBe("Only sheet 2 of 2 was converted.");
  await expect(convert(bytes, "xlsx", "csv", { sheet: "Cover" })).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
});

it("an empty result of a formula does not repeat the next cell", async () => {
  const book = utils.book_new(
    utils.aoa_to_sheet([
      ["a", "b"],
      ["x", "y"],
    ]),
    "S",
  );
  const parts = unzipSync(write(book, { type: "buffer", bookType: "xlsx" }) as Uint8Array);
  const cells = '<c r="A2" t="str"><f>LEFT(B2,0)</f><v/></c><c r="B2" t="str"><f>LEFT("yes",1)</f><v>y</v></c>';
  const sheet = strFromU8(parts["xl/worksheets/sheet1.xml"] ?? new Uint8Array()).replace(/<c r="A2".*?<\/row>/s, `${cells}</row>`);
  const changed = zipSync({ ...parts, "xl/worksheets/sheet1.xml": strToU8(sheet) });
  expect((await convert(changed, "xlsx", "csv")).text).toBe("a,b\r\n,y\r\n");
});

it("texts of Excel before version 97 are read in their code page", async () => {
  const record = (type: number, ...bytes: number[]) =>
    Buffer.from([type & 0xff, type >> 8, bytes.length & 0xff, bytes.length >> 8, ...bytes]);
  const label = (row: number, ...letters: number[]) => record(0x204, row, 0, 0, 0, 0, 0, letters.length, 0, ...letters);
  const [start, end] = [record(0x409, 0, 4, 0x10, 0, 0, 0), record(0x0a)];
  const codePage = record(0x42, 0xe3, 0x04);
  const given = Buffer.concat([start, codePage, label(0, 0x61), label(1, 0xcf, 0xf0, 0xe8), end]);
  expect((await convert(given, "xls", "csv")).text).toBe("a\r\nПри\r\n");
});

it("an error that Excel wrote into an OpenDocument as 0 stays an error", async () => {
  const cell = (attributes: string, text: string) =>
    `<table:table-cell office:value-type="float" office:value="0" ${attributes}><text:p>${text}</text:p></table:table-cell>`;
  const given = openDocument(`${cell('table:formula="of:=NA()"', "#N/A")}${cell("", "#DIV/0!")}${cell("", "0")}`);
  expect((await convert(given, "fods", "csv")).text).toBe("a,,\r\n#N/A,#DIV/0!,0\r\n");
});

it("an OpenDocument without styles is read", async () => {
  expect((await convert(await readFile("test/corpus/tiny/tiny.ods"), "ods", "csv")).text).toBe("Q\r\n");
});

it("a formula that an office computed to an empty text is that text, and one that nobody computed is for an office", async () => {
  const cell =
    '<table:table-cell table:formula="of:=IF(1=2;1;&quot;&quot;)"/><table:table-cell office:value-type="float" office:value="2"/>';
  const computed = await convert(openDocument(cell, "LibreOffice/7.4.7.2$Linux_X86_64"), "fods", "json");
  expect(JSON.parse(computed.text)).toEqual([{ a: "", column2: 2 }]);
  await expect(convert(openDocument(cell), "fods", "json")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
});

it.each(["xlsx", "xls", "xlsb"])("numbers near the largest stay what they are in %s", async (to) => {
  const numbers = [-1.7976931348621712e308, Number.MAX_VALUE, 1.797e308];
  const { bytes, codes } = await convert(JSON.stringify(numbers.map((n) => ({ n }))), "json", to);
  const cells = read(bytes, { type: "buffer" }).Sheets["Sheet1"] ?? {};
  expect([cells["A2"].v, cells["A3"].v, cells["A4"].v].map(Number)).toEqual(numbers);
  expect(codes).toEqual(["TYPES_AS_TEXT"]);
});

it("a cell of an OpenDocument that has a value and shows no text keeps the value", async () => {
  const values = [
    'office:value-type="float" office:value="2.5"',
    'office:value-type="string" office:string-value="x &amp; é"',
    'office:value-type="boolean" office:boolean-value="true"',
    'office:value-type="date" office:date-value="2024-02-29"',
    'table:number-columns-repeated="2" office:value-type="float" office:value="7"',
  ];
  for (const end of ["/>", "></table:table-cell>"]) {
    const cells = values.map((value) => `<table:table-cell ${value}${end}`).join("");
    const { text } = await convert(openDocument(cells), "fods", "csv", { header: false });
    expect(text.split("\r\n")[1]).toBe("2.5,x & é,TRUE,2024-02-29,7,7");
    // The parts of the package may be uncompressed.
    const content = openDocument(cells)
      .replaceAll("office:document ", "office:document-content ")
      .replaceAll("office:document>", "office:document-content>");
    const packed = zipFile([
      { name: "mimetype", content: "application/vnd.oasis.opendocument.spreadsheet", isStored: true },
      { name: "META-INF/manifest.xml", content: "<manifest:manifest/>" },
      { name: "content.xml", content, isStored: true },
    ]);
    expect((await convert(packed, "ods", "csv", { header: false })).text).toBe(text);
  }
});

it("a workbook's comments and links are told where the target has no room for them", async () => {
  const sheet = utils.aoa_to_sheet([
    ["a", "b"],
    [1, "https://e.example/"],
  ]);
  utils.cell_add_comment(sheet["A2"], "Why?", "Ada");
  sheet["B1"].l = { Target: "https://e.example/about" };
  sheet["B2"].l = { Target: "https://e.example/" };
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, "S");
  const { notes } = await convert(Buffer.from(write(book, { type: "buffer", bookType: "xlsx" }) as Uint8Array), "xlsx", "json");
  expect(notes.get("TEXT_LEFT_OUT")).toBe("Comments were left out: A2. Link addresses were left out: B1.");
});

describe("cells of a workbook", () => {
  it.each([
    ["a moment that shows its time only", 44256.5, "hh:mm", "2021-03-01T12:00:00"],
    ["a number whose format has letters of its own", 1234.5, '0.00" Bar"', 1234.5],
    ["a number in parts of colours", 1234.5, "0;[Red]-0 Bs", 1234.5],
    ["a date in a colour", 44256, "[Magenta]yyyy-mm-dd", "2021-03-01"],
    ["a duration", 1.5, "[hh]:mm:ss", "PT36H"],
  ])("give %s", async (_name, value, format, wanted) => {
    expect(JSON.parse((await convert(workbook(value, format), "xlsx", "json")).text)).toEqual([{ a: wanted }]);
  });

  it.each([
    ["PT36H05M00S", "PT36H5M"],
    ["PT01H30M00S", "01:30:00"],
  ])("of OpenDocument give the time %s", async (time, wanted) => {
    const cell = `<table:table-cell office:value-type="time" office:time-value="${time}"><text:p>x</text:p></table:table-cell>`;
    expect(JSON.parse((await convert(openDocument(cell), "fods", "json")).text)).toEqual([{ a: wanted }]);
  });
});

describe("dates and times that an OpenDocument writes", () => {
  it.each([
    ["date", "2024-02-29", "2024-02-29"],
    ["date", "0001-01-01", "0001-01-01"],
    ["date", "-0044-03-15", "-0044-03-15"],
    ["date", "1899-12-30T01:02:03.456700000", "1899-12-30T01:02:03.4567"],
    ["date", "1900-01-15T00:00:00", "1900-01-15"],
    ["date", "2024-01-01T10:00:00.5", "2024-01-01T10:00:00.500"],
    ["date", "2024-01-01T00:00:00+02:00", "2024-01-01T00:00:00+02:00"],
    ["time", "PT13H05M07S", "13:05:07"],
    ["time", "PT00H00M07.891S", "00:00:07.891"],
    ["time", "PT30H05M07.891S", "PT30H5M7.891S"],
    ["time", "-PT5M", "-PT5M"],
    ["time", "P1DT2H", "PT26H"],
    ["time", "PT24H00M00S", "PT24H"],
  ])("are as they were written: %s %s", async (type, written, wanted) => {
    const cell = `<table:table-cell table:style-name="x" office:value-type="${type}" office:${type}-value="${written}"><text:p>shown</text:p></table:table-cell>`;
    expect((await convert(openDocument(cell), "fods", "csv")).text).toBe(`a\r\n${wanted}\r\n`);
  });
});

it("errors and dates that are younger than the library keep their names and what they say", async () => {
  const cell = (place: string, type: string, value: string) => `<c r="${place}" t="${type}"><v>${value}</v></c>`;
  const rows = [
    ["str", "a", "str", "b"],
    ["e", "#SPILL!", "e", "#N/A"],
    ["d", "2024-02-29T10:11:12", "e", "#CALC!"],
  ].map(([one = "", first = "", other = "", second = ""], at) => {
    return `<row r="${at + 1}">${cell(`A${at + 1}`, one, first)}${cell(`B${at + 1}`, other, second)}</row>`;
  });
  const sheet = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows.join("")}</sheetData></worksheet>`;
  const source = CFB.read(workbook(1, "0"), { type: "buffer" });
  for (const [place, name] of source.FullPaths.entries())
    if (name.endsWith("/sheet1.xml")) Object.assign(source.FileIndex[place] ?? {}, { content: Buffer.from(sheet), size: sheet.length });
  const changed = Buffer.from(CFB.write(source, { type: "buffer", fileType: "zip" }) as Uint8Array);
  const made = await convert(changed, "xlsx", "json");
  expect(JSON.parse(made.text)).toEqual([
    { a: "#SPILL!", b: "#N/A" },
    { a: "2024-02-29T10:11:12", b: "#CALC!" },
  ]);
  expect(made.codes).toEqual(["TYPES_AS_TEXT"]);
});

it("a workbook that asks to be computed is for an office, as its zeros are no results", async () => {
  const given = CFB.read(workbook(1, "0"), { type: "buffer" });
  const change = (name: string, from: RegExp, to: string) => {
    const part = CFB.find(given, name);
    if (part) part.content = Buffer.from(Buffer.from(part.content).toString().replace(from, to));
  };
  change("/xl/workbook.xml", /<\/sheets>/, '</sheets><calcPr fullCalcOnLoad="1"/>');
  const bytes = () => Buffer.from(CFB.write(given, { type: "buffer", fileType: "zip" }) as Uint8Array);
  expect((await convert(bytes(), "xlsx", "csv")).text).toBe("a\r\n1\r\n");
  change("/xl/worksheets/sheet1.xml", /<v>1</, "<f>A1</f><v>0<");
  await expect(convert(bytes(), "xlsx", "csv")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
});

it.each(["xlsx", "xlsb", "xls", "xlsx2003"])("the character NUL is replaced in %s, with a note", async (to) => {
  const { bytes, notes } = await convert('[{"a":"x\\u0000y"}]', "json", to);
  const sheet = read(bytes).Sheets["Sheet1"];
  expect([sheet?.["A2"].v, [...notes.keys()]]).toEqual(["x\ufffdy", ["CHARACTERS_REPLACED"]]);
});

/** Of Excel 97, with the formula A2*3 in B2: an empty text is its result, as xlwt writes it, or a number. */
function oldWorkbook(result?: number): Buffer {
  const sheet = utils.aoa_to_sheet([
    ["a", "b"],
    [2, 0],
  ]);
  const parsed = Buffer.from("0900" + "44010000c0" + "1e0300" + "05", "hex");
  Object.assign(sheet["B2"], { t: "n", v: result, bf: parsed });
  return write(utils.book_new(sheet, "S"), { type: "buffer", bookType: "biff8" }) as Buffer;
}

it("an old workbook whose formulas all have an empty text for a result is for an office", async () => {
  await expect(convert(oldWorkbook(), "xls", "csv")).rejects.toMatchObject({ code: "CONVERSION_FAILED", odd: true });
  expect((await convert(oldWorkbook(6), "xls", "csv")).text).toBe("a,b\r\n2,6\r\n");
});

it("an old workbook with a zero for each result is for an office only if it asks for computing", async () => {
  const bytes = oldWorkbook(0);
  expect((await convert(bytes, "xls", "csv")).text).toBe("a,b\r\n2,0\r\n");
  const flags = bytes.indexOf(Buffer.concat([Buffer.alloc(8), Buffer.from("2100000000000900440100", "hex")])) + 8;
  bytes[flags] = 2;
  await expect(convert(bytes, "xls", "csv")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
});

it("names of OpenDocument sheets are read without escapes", async () => {
  const one = openDocument(`<table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell>`);
  const two = one.replace(/<table:table .*<\/table:table>/, (table) => table.replace('"S"', '"R &amp; D"') + table);
  expect(JSON.parse((await convert(two, "fods", "json")).text)).toEqual({ "R & D": [{ a: "x" }], S: [{ a: "x" }] });
});

it("addresses that formulas link to are told where a label hides them", async () => {
  const sheet = utils.aoa_to_sheet([["one"], ["https://e.example/two"], ["https://e.example/3"], ["Site 4"]]);
  sheet["A1"].f = 'HYPERLINK("https://e.example/one","one")';
  sheet["A2"].f = 'HYPERLINK("https://e.example/two")';
  sheet["A3"].f = 'HYPERLINK("https://e.example/"&3)';
  sheet["A4"].f = 'HYPERLINK(B1&"/4","Site 4")';
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, "S");
  const { notes } = await convert(Buffer.from(write(book, { type: "buffer", bookType: "xlsx" }) as Uint8Array), "xlsx", "json", {
    header: false,
  });
  expect(notes.get("TEXT_LEFT_OUT")).toBe("Link addresses were left out: A1, A4.");
});
