import { read, utils, type WorkBook, write } from "@e965/xlsx";
import { unzipSync, zipSync } from "fflate";
import { expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { sheetNamesOf } from "#services/conversion/engines/inside/records/sheets.ts";
import { libreofficeHops } from "#services/conversion/engines/office/libreoffice-hops.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);
const bytesOf = (book: WorkBook): Buffer => write(book, { type: "buffer", bookType: "xlsx" });

const first = utils.aoa_to_sheet([
  [true, "  two\tcells \nof text", { t: "n", v: 1.25, f: "IF(A1,1.25,0)" }, { t: "n", v: 45351.5, z: "yyyy-mm-dd hh:mm" }],
  [{ t: "n", v: 0.25, z: "h:mm" }, 1e300, "=1+1"],
]);

it("Excel 2003 XML has the values, spaces, times and hidden sheets of a workbook, and results instead of formulas", async () => {
  const book = utils.book_new(first, "Values");
  utils.book_append_sheet(book, utils.aoa_to_sheet([[], ["", "", 7]]), "Later");
  book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
  const { text, notes } = await convert(bytesOf(book), "xlsx", "xlsx2003");
  expect(text).not.toContain("Formula");
  const { Sheets, Workbook } = read(text, { type: "string" });
  expect(utils.sheet_to_json(Sheets.Values ?? {}, { header: 1, rawNumbers: true })).toEqual([
    [true, "  two\tcells \nof text", 1.25, 45351.5],
    [0.25, 1e300, "=1+1"],
  ]);
  expect(Sheets.Later?.C2?.v).toBe(7);
  expect(Workbook?.Sheets?.map(({ Hidden }) => Hidden)).toEqual([0, 1]);
  expect([...notes.keys()]).toEqual(["STYLING_DROPPED"]);
});

it("Excel 2003 XML counts the days of a workbook since 1904 as its reader does", async () => {
  const book = utils.book_new(utils.aoa_to_sheet([[{ t: "n", v: 43_889, z: "yyyy-mm-dd" }]]), "S");
  book.Workbook = { WBProps: { date1904: true } };
  expect((await convert(bytesOf(book), "xlsx", "xlsx2003")).text).toContain('<Data ss:Type="Number">45351</Data>');
});

it("comments with markup, array formulas and errors keep Excel 2003 XML readable", async () => {
  const cells = utils.aoa_to_sheet([["a"], [{ t: "n", v: 3, f: "SUM(1,2)", F: "A2:A2" }], [{ t: "e", v: 42, f: "NA()" }], ["#N/A"]]);
  utils.cell_add_comment(cells.A1, "less < more & \u0001", "R & D");
  const { text, notes } = await convert(bytesOf(utils.book_new(cells, "S")), "xlsx", "xlsx2003");
  expect(text).toContain('ss:Author="R &amp; D"');
  expect(text).toMatch(/less &lt; more &amp; [ \ufffd]?</);
  expect(text).not.toMatch(/Formula|ArrayRange/);
  expect(text).not.toContain("\u0001");
  expect(text.match(/ss:Type="(?:Error|String)">#N\/A/g)).toEqual(['ss:Type="Error">#N/A', 'ss:Type="String">#N/A']);
  expect(notes.has("STYLING_DROPPED")).toBe(true);
});

it("a sheet whose last cell is far away fails instead of being written for hours", async () => {
  const parts = unzipSync(bytesOf(utils.book_new(utils.aoa_to_sheet([[1], [2]]), "S")));
  const name = "xl/worksheets/sheet1.xml";
  const far = Buffer.from(parts[name] ?? "")
    .toString()
    .replace('r="2"', 'r="1048576"')
    .replace('r="A2"', 'r="XFD1048576"');
  const book = Buffer.from(zipSync({ ...parts, [name]: Buffer.from(far) }));
  await expect(convert(book, "xlsx", "xlsx2003")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
});

it("control characters that XML cannot have are replaced in Excel 2003 XML, with a note", async () => {
  const { text, notes } = await convert(Buffer.from('[{"a":"x\\u0001y"}]'), "json", "xlsx2003");
  expect(text).toContain("x\ufffdy");
  expect(notes.has("CHARACTERS_REPLACED")).toBe(true);
});

it("LibreOffice writes neither UOS nor Excel 2003 XML, in which values change and formulas are invalid", () => {
  expect(libreofficeHops.filter(({ to }) => to === "uos" || to === "xlsx2003")).toEqual([]);
});

it("Excel 2003 XML has no row for a gap", async () => {
  const cells = utils.sheet_add_aoa(utils.aoa_to_sheet([["a"]]), [["b"]], { origin: "B9000" });
  const { text } = await convert(bytesOf(utils.book_new(cells, "S")), "xlsx", "xlsx2003");
  expect(text.match(/<Row[^>]*>/g)).toEqual(['<Row ss:Index="1">', '<Row ss:Index="9000">']);
});

const withChart = (): Buffer => {
  const book = utils.book_new(utils.aoa_to_sheet([[9], [5]]), "Chart");
  utils.book_append_sheet(book, utils.aoa_to_sheet([["a"]]), "Values");
  utils.book_append_sheet(book, {}, "Blank");
  const bytes: Buffer = write(book, { type: "buffer", bookType: "biff8" });
  // The kind in the record that begins a sheet [MS-XLS] 2.4.21, from worksheet to chart.
  bytes[bytes.indexOf(Buffer.from("0908100000061000", "hex")) + 6] = 0x20;
  return bytes;
};

it("a chart that is a sheet of XLS is not taken for the first sheet with values", async () => {
  const { text, notes } = await convert(withChart(), "xls", "csv");
  expect(text).toBe("a\r\n");
  expect(notes.get("SHEETS_LEFT_OUT")).toBe("Only sheet 2 of 3 was converted.");
});

it("a chart that is a sheet of XLS is not called empty", () => {
  const notes = new Map();
  expect(sheetNamesOf(withChart(), notes)).toEqual([null, "Values", null]);
  expect(notes.get("SHEETS_LEFT_OUT")).toBe("Charts that are sheets were left out: Chart. Empty sheets were left out: Blank.");
});
