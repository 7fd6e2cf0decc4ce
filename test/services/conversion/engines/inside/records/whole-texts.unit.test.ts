import { utils, write } from "@e965/xlsx";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/** A workbook whose only sheet has these rows, as XML. */
function workbookOf(rows: string, prefix = ""): Buffer {
  const parts = unzipSync(write(utils.book_new(utils.aoa_to_sheet([["a"]]), "S"), { type: "buffer", bookType: "xlsx" }) as Uint8Array);
  const [start, end] = prefix === "" ? [` xmlns="${main}"`, ""] : [` xmlns:${prefix}="${main}"`, `${prefix}:`];
  const sheet = `<${end}worksheet${start}><${end}sheetData>${rows}</${end}sheetData></${end}worksheet>`;
  expect(strFromU8(parts["xl/worksheets/sheet1.xml"] ?? new Uint8Array())).toContain("sheetData");
  return Buffer.from(zipSync({ ...parts, "xl/worksheets/sheet1.xml": strToU8(sheet) }));
}

it("a boolean without a value is empty, not FALSE", async () => {
  const rows = '<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c><c r="C1" t="str"><v>c</v></c></row>';
  const cells = '<c r="A2" t="b"/><c r="B2" t="b"><v/></c><c r="C2" t="b"><v>0</v></c>';
  const { text } = await convert(workbookOf(`${rows}<row r="2">${cells}</row>`), "xlsx", "json");
  expect(JSON.parse(text)).toEqual([{ a: null, b: null, c: false }]);
});

it.each(["<c r='A2'><f>1+1</f></c>", "<c r='A2'><f>1+1</f><v/></c>", "<c r='A2' t='b'><f>A1=1</f><v></v></c>"])(
  "a formula without a result is for an office, not 0: %s",
  async (cell) => {
    const given = workbookOf(`<row r="1"><c r="A1" t="str"><v>a</v></c></row><row r="2">${cell}</row>`);
    await expect(convert(given, "xlsx", "csv")).rejects.toMatchObject({ code: "CONVERSION_FAILED" });
  },
);

it("texts of elements with a prefix are unescaped once, and thousands of them are read at once", async () => {
  const row = (n: number) => `<x:row r="${n}"><x:c r="A${n}" t="str"><x:v>1 &amp;lt; _x0041_</x:v></x:c></x:row>`;
  const rows = Array.from({ length: 20_000 }, (_, place) => row(place + 1)).join("");
  const started = performance.now();
  const { text } = await convert(workbookOf(rows, "x"), "xlsx", "csv");
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(text.slice(0, 12)).toBe("1 &lt; A\r\n1 ");
});

it("a shared or inline text in front of formatted runs keeps the runs", async () => {
  const book = utils.book_new(utils.aoa_to_sheet([["plain"]]), "S");
  const parts = unzipSync(write(book, { type: "buffer", bookType: "xlsx", bookSST: true }) as Uint8Array);
  const runs = "<t>plain</t><r><t> one</t></r><r><t> two</t></r>";
  const texts = strFromU8(parts["xl/sharedStrings.xml"] ?? new Uint8Array()).replace("<t>plain</t>", runs);
  const given = Buffer.from(zipSync({ ...parts, "xl/sharedStrings.xml": strToU8(texts) }));
  expect((await convert(given, "xlsx", "csv")).text).toBe("plain one two\r\n");
  const inline = workbookOf(`<row r="1"><c r="A1" t="inlineStr"><is>${runs}</is></c></row>`);
  expect((await convert(inline, "xlsx", "csv")).text).toBe("plain one two\r\n");
});

it("more rows than any office has are too complex, and not counted one by one", async () => {
  const spaces = "urn:oasis:names:tc:opendocument:xmlns";
  const rows = '<table:table-row table:number-rows-repeated="1000000000"><table:table-cell/></table:table-row>';
  const far = '<table:table-row><table:table-cell office:value-type="float" office:value="1"/></table:table-row>';
  const sheet = `<office:document xmlns:office="${spaces}:office:1.0" xmlns:table="${spaces}:table:1.0" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="S">${rows}${far}</table:table></office:spreadsheet></office:body></office:document>`;
  await expect(convert(Buffer.from(sheet), "fods", "csv")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
});
