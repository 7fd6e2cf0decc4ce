import { expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { convertData } from "#services/conversion/engines/inside/records/convert.ts";
import { converterOf } from "#test/services/conversion/engines/inside/converter.ts";

const convert = converterOf(dataEngine, convertData);
const namespace = "urn:schemas-microsoft-com:office:spreadsheet";
const bookOf = (rows: string, encoding = "UTF-8"): string =>
  `<?xml version="1.0" encoding="${encoding}"?><Workbook xmlns="${namespace}" xmlns:ss="${namespace}"><Styles><Style ss:ID="t"><NumberFormat ss:Format="[h]:mm:ss"/></Style></Styles><Worksheet ss:Name="S"><Table>${rows}</Table></Worksheet></Workbook>`;
const cell = (type: string, text: string, attributes = "") => `<Cell ${attributes}><Data ss:Type="${type}">${text}</Data></Cell>`;
const csvOf = async (book: string | Buffer) => (await convert(Buffer.from(book), "xlsx2003", "csv")).text;

it("booleans, errors, formulas' results and times of Excel 2003 XML are kept", async () => {
  const cells = [
    cell("Boolean", "1"),
    cell("Boolean", "0"),
    cell("Error", "#N/A"),
    cell("Boolean", "1", 'ss:Formula="=RC[-3]"'),
    cell("DateTime", "1900-01-01T02:30:00.000", 'ss:StyleID="t"'),
  ];
  expect(await csvOf(bookOf(`<Row>${cells.join("")}</Row>`))).toBe("TRUE,FALSE,#N/A,TRUE,PT26H30M\r\n");
});

it("formatted text of Excel 2003 XML is kept as a whole", async () => {
  const text =
    '<ss:Data ss:Type="String" xmlns="http://www.w3.org/TR/REC-html40">plain <B>bold</B><Font html:Size="8"> end &lt;</Font></ss:Data>';
  expect(await csvOf(bookOf(`<Row><Cell>${text}</Cell>${cell("String", "b")}</Row>`))).toBe("plain bold end <,b\r\n");
});

it("CDATA in Excel 2003 XML is text", async () => {
  const cells = cell("String", "<![CDATA[a & <b>]]> c") + cell("String", "<![CDATA[]]>") + cell("String", "<![CDATA[&amp;]]>");
  expect(await csvOf(bookOf(`<Row>${cells}</Row>`))).toBe("a & <b> c,,&amp;\r\n");
});

it("cells after an empty merged one of Excel 2003 XML stay in their columns", async () => {
  expect(await csvOf(bookOf(`<Row>${cell("String", "a")}<Cell ss:MergeAcross="2"/>${cell("String", "e")}</Row>`))).toBe("a,,,,e\r\n");
});

it("Excel 2003 XML in another encoding is read in it", async () => {
  const row = `<Row>${cell("String", "é")}</Row>`;
  expect(await csvOf(Buffer.from(bookOf(row, "windows-1252"), "latin1"))).toBe("é\r\n");
  expect(await csvOf(Buffer.from(`\ufeff${bookOf(row, "UTF-16")}`, "utf16le"))).toBe("é\r\n");
  // .NET writes this into files that it stores as UTF-8.
  expect(await csvOf(bookOf(row, "utf-16"))).toBe("é\r\n");
});

it.each(['ss:MergeAcross="16384"', 'ss:Index="1e7"', 'ss:MergeAcross="9999" ss:MergeDown="9999"'])(
  "a place beyond any sheet is refused: %s",
  async (attribute) => {
    await expect(csvOf(bookOf(`<Row>${cell("String", "a", attribute)}</Row>`))).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  },
);

it.each([`<Row>${'<Cell ss:MergeAcross="999"/>'.repeat(20)}</Row>`, '<Column ss:Span="999999999"/>'])(
  "columns that add up to more than any sheet has are refused",
  async (rows) => {
    await expect(csvOf(bookOf(rows))).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  },
);
