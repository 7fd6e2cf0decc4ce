import { readFile } from "node:fs/promises";
import { utils, write } from "@e965/xlsx";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);

/** One cell of a workbook under the head `a`. */
function workbook(value: number, format: string): Buffer {
  const sheet = utils.aoa_to_sheet([["a"], [{ t: "n", v: value, z: format }]]);
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, "S");
  const made: unknown = write(book, { type: "buffer", bookType: "xlsx" });
  return Buffer.from(made as Uint8Array);
}

function openDocument(cell: string): string {
  const names = ["office", "table", "text"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const rows = `<table:table-row><table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell></table:table-row><table:table-row>${cell}</table:table-row>`;
  return `<?xml version="1.0"?><office:document ${names} office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="S">${rows}</table:table></office:spreadsheet></office:body></office:document>`;
}

it("an OpenDocument without styles is read", async () => {
  expect((await convert(await readFile("test/corpus/tiny/tiny.ods"), "ods", "csv")).text).toBe("Q\r\n");
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
