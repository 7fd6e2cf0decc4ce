/** Results of formulas in Excel's binary workbooks. @see [MS-XLS], [MS-XLSB] */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CFB } from "@e965/xlsx";
import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { useBench } from "#test/contract/engine.ts";

const office = useBench(libreofficeEngine);

const spaces = "urn:oasis:names:tc:opendocument:xmlns";
const number = (formula: string, value: number) =>
  `<table:table-cell table:formula="of:=${formula}" office:value-type="float" office:value="${value}"/>`;
const book = (cells: string) =>
  `<office:document xmlns:office="${spaces}:office:1.0" xmlns:table="${spaces}:table:1.0" xmlns:of="${spaces}:of:1.2" office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet><table:table table:name="A"><table:table-row>${cells}</table:table-row></table:table></office:spreadsheet></office:body></office:document>`;

/** Functions of no program, of one number, and of none. */
const [unknown, int, today] = [Uint8Array.of(0x41, 0xe0, 0x01), Uint8Array.of(0x41, 25, 0), Uint8Array.of(0x41, 221, 0)];

/** As the office writes it. */
async function oldBook(cells: string): Promise<Buffer> {
  const source = join(office.folder, "results.fods");
  await writeFile(source, book(cells));
  return await readFile((await office.convert(source, "fods", "xls")).path);
}

async function unknownBook(): Promise<Buffer> {
  const made = await oldBook(
    `<table:table-cell office:value-type="float" office:value="5"/>${number("ABS([.A1])", 5)}${number("INT([.A1])", 5)}`,
  );
  const at = made.indexOf(int);
  made.set(unknown, at);
  made.writeDoubleLE(77.5, at - 21);
  return made;
}

const word = (value: number) => [value & 255, value >> 8, 0, 0];
const text = (value: string) => [...word(value.length), ...Buffer.from(value, "utf16le")];
const record = (kind: number, content: readonly number[] = []) => [
  ...(kind < 128 ? [kind] : [(kind & 127) | 128, kind >> 7]),
  content.length,
  ...content,
];

function newBook(): Uint8Array {
  const formula = (column: number, value: number, tokens: readonly number[]) =>
    record(9, [
      ...word(column),
      ...word(0),
      ...Buffer.from(Float64Array.of(value).buffer),
      0,
      0,
      ...word(tokens.length),
      ...tokens,
      ...word(0),
    ]);
  const row = record(0, [...word(0), ...word(0), 44, 1, 0, 0, 0, ...word(1), ...word(0), ...word(2)]);
  const cells = [...formula(0, 5, [0x1e, 5, 0]), ...formula(1, 77.5, [0x1e, 5, 0, ...unknown])];
  const header = [...record(479, [0, 0, ...text("&F"), ...Array<number>(20).fill(255)]), ...record(480)];
  const sheets = record(156, [...word(0), ...word(1), ...text("rId1"), ...text("A")]);
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const relation = (kind: string, target: string) =>
    strToU8(
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${office}/${kind}" Target="${target}"/></Relationships>`,
    );
  const type = "application/vnd.ms-excel";
  return zipSync({
    "[Content_Types].xml": strToU8(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.bin" ContentType="${type}.sheet.binary.macroEnabled.main"/><Override PartName="/xl/sheet.bin" ContentType="${type}.worksheet"/></Types>`,
    ),
    "_rels/.rels": relation("officeDocument", "xl/workbook.bin"),
    "xl/_rels/workbook.bin.rels": relation("worksheet", "sheet.bin"),
    "xl/workbook.bin": Uint8Array.from([...record(131), ...record(143), ...sheets, ...record(144), ...record(132)]),
    "xl/sheet.bin": Uint8Array.from([...record(129), ...record(145), ...row, ...cells, ...record(146), ...header, ...record(130)]),
  });
}

it.each([
  ["xls", unknownBook, "C1", "5,5,77.5\n"],
  ["xlsb", newBook, "B1", "5,77.5\n"],
] as const)("stay in %s where the office does not know the function, with a note", async (from, made, place, rows) => {
  const source = join(office.folder, `unknown.${from}`);
  await writeFile(source, await made());
  const { path, notes } = await office.convert(source, from, "ods");
  expect(notes.get("TEXT_LEFT_OUT")).toBe(`Formulas that cannot be computed here were replaced by their results: A.${place}.`);
  expect(await readFile((await office.convert(path, "ods", "csv")).path, "utf8")).toBe(rows);
});

it("of XLSB come without the name of our file that a header asks for, with a note", async () => {
  const source = join(office.folder, "header.xlsb");
  await writeFile(source, newBook());
  expect((await office.convert(source, "xlsb", "pdf")).notes.get("TEXT_LEFT_OUT")).toContain("The name of the file was left out");
});

it("are named where the office computes them anew", async () => {
  const made = await oldBook(number("TODAY()", 5) + number("[.A1]+1", 6));
  made.writeDoubleLE(5, made.indexOf(today) - 20);
  const source = join(office.folder, "anew.xls");
  await writeFile(source, made);
  const { notes } = await office.convert(source, "xls", "ods");
  expect(notes.get("TEXT_LEFT_OUT")).toContain("Results of formulas, such as of NOW(), were computed anew: A.A1.");
});

it("of Excel 95 are read in its code page, and after a sheet that names a newer version", async () => {
  const old = (kind: number, ...content: number[]) => [kind & 255, kind >> 8, content.length, 0, ...content];
  const globals = [...old(0x809, 0, 5, 5, 0, 0, 0, 0, 0), ...old(0x42, 0x2d, 0x27)];
  const start = globals.length + old(0x85, ...word(0), 0, 0, 1, 0x41).length + old(0x0a).length;
  const result = [0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0];
  const sheet = [
    ...old(0x809, 0, 6, 0x10, 0, 0, 0, 0, 0),
    ...old(6, 0, 0, 0, 0, 0, 0, ...result, unknown.length + 3, 0, 0x1e, 5, 0, ...unknown),
    ...old(0x207, 3, 0, 0x8f, 0xe7, 0x61),
    ...old(0x0a),
  ];
  const package_ = CFB.utils.cfb_new();
  CFB.utils.cfb_add(package_, "/Book", Buffer.from([...globals, ...old(0x85, ...word(start), 0, 0, 1, 0x41), ...old(0x0a), ...sheet]));
  const source = join(office.folder, "old.xls");
  await writeFile(source, CFB.write(package_, { type: "buffer", fileType: "cfb" }) as Uint8Array);
  const { path } = await office.convert(source, "xls", "ods");
  expect(await readFile((await office.convert(path, "ods", "csv")).path, "utf8")).toBe("ŹÁa\n");
});
