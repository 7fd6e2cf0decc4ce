import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { read } from "@e965/xlsx";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { useBench } from "#test/contract/engine.ts";

const office = useBench(libreofficeEngine);
const microsoft = "urn:schemas-microsoft-com:office";
const page = "http://www.w3.org/TR/REC-html40";
const cell = (type: string, text: string, attributes = "") => `<Cell ${attributes}><Data ss:Type="${type}">${text}</Data></Cell>`;
const hidden = `<Worksheet ss:Name="Away"><Table/><WorksheetOptions xmlns="${microsoft}:excel"><Visible>SheetHidden</Visible></WorksheetOptions></Worksheet>`;

async function workbookOf(cells: string) {
  const path = join(office.folder, "book.xml");
  const style = '<Styles><Style ss:ID="t"><NumberFormat ss:Format="[h]:mm:ss"/></Style></Styles>';
  const book = `<Workbook xmlns="${microsoft}:spreadsheet" xmlns:ss="${microsoft}:spreadsheet">${style}<Worksheet ss:Name="S"><Table><Row>${cells}</Row></Table></Worksheet>${hidden}</Workbook>`;
  await writeFile(path, `<?xml version="1.0"?>${book}`);
  const made = await office.convert(path, "xlsx2003", "xlsx");
  const { Sheets, Workbook } = read(await readFile(made.path), { UTC: true });
  const shown = Object.entries(Sheets.S ?? {}).flatMap(([place, { w }]) => (place.startsWith("!") ? [] : [w]));
  return { shown, hidden: Workbook?.Sheets?.map(({ Hidden }) => Hidden), notes: made.notes };
}

it("booleans, errors and times of Excel 2003 XML do not become empty or move, and hidden sheets stay hidden", async () => {
  const day = cell("DateTime", "1900-01-01T02:30:00.000", 'ss:StyleID="t"');
  const errors = ["#N/A", "#DIV/0!", "#NAME?"].map((name) => cell("Error", name)).join("");
  const book = await workbookOf(`${cell("Boolean", "1")}${cell("Boolean", "0")}${errors}${day}`);
  expect(book.shown).toEqual(["TRUE", "FALSE", "#N/A", "#DIV/0!", "#NAME?", "26:30:00"]);
  expect(book.hidden).toEqual([0, 1]);
  expect([...book.notes.keys()]).toEqual([]);
});

it("underlined, struck, raised and lowered text of Excel 2003 XML is kept", async () => {
  const text = `<Cell><ss:Data ss:Type="String" xmlns="${page}">a <U>b</U> <B><S>c</S></B> H<Sub>2</Sub>O x<Sup>3</Sup></ss:Data></Cell>`;
  expect((await workbookOf(text)).shown).toEqual(["a b c H2O x3"]);
});

it("comments and links of Excel 2003 XML, which the office does not read, are noted", async () => {
  const { notes } = await workbookOf(cell("String", "a", 'ss:HRef="http://example.org/"'));
  expect(notes.get("TEXT_LEFT_OUT")).toBe("Comments and link addresses of cells were left out.");
});

it("days of SYLK that are counted from 1904 are right, and lost booleans and errors are noted", async () => {
  const path = join(office.folder, "book.slk");
  const lines = [
    "ID;PWXL;N;E",
    "O;L;D;B;V4;K47",
    "P;PGeneral",
    "P;Pyyyy\\-mm\\-dd",
    "F;P1;FG0G;Y1;X1",
    "C;Y1;X1;K1",
    "C;X2;KTRUE",
    "E",
    "",
  ];
  await writeFile(path, lines.join("\r"));
  const { path: made, notes } = await office.convert(path, "slk", "csv");
  expect(await readFile(made, "utf8")).toMatch(/^1904-01-02,0\r?\n$/);
  expect(notes.get("TEXT_LEFT_OUT")).toBe("Booleans and errors in cells became 0.");
});
