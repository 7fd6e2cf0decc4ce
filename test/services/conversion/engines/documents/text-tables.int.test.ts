/** Every engine reads text tables the same way: no value is lost, split elsewhere or mistaken for another. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { pandocEngine } from "#services/conversion/engines/documents/pandoc.ts";
import { gdalEngine } from "#services/conversion/engines/maps/gdal.ts";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const run = promisify(execFile);
const data = converting(dataEngine);
const pandoc = converting(pandocEngine);
const gdal = converting(gdalEngine);
const office = converting(libreofficeEngine);

const rowsIn = (html: string) =>
  [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell = ""]) => cell.replace(/<[^>]*>/g, "").trim()),
  );

describe("text tables with Pandoc", () => {
  it("keep every value with any column separator", async () => {
    const page = await pandoc("name;price;note\nA;0,50;x\nB;1.000,00;y;more\n", "csv", "html");
    expect(rowsIn(page.text)).toEqual([
      ["name", "price", "note", ""],
      ["A", "0,50", "x", ""],
      ["B", "1.000,00", "y", "more"],
    ]);
    expect(page.notes).toEqual(["DIALECT_GUESSED"]);
    for (const to of ["md", "rst", "tex", "org", "textile", "mediawiki", "docbook", "jats", "dokuwiki", "jira", "adoc", "txt"])
      expect((await pandoc("a\tb\n1\t2\t3,5\n", "csv", to)).text, to).toContain("3,5");
  });

  it("are read in the given encoding and with the given separator", async () => {
    const guessed = await pandoc(Buffer.from("name,stadt\nJ\xfcrgen,K\xf6ln\n", "latin1"), "csv", "md");
    expect(guessed.text).toContain("| Jürgen | Köln");
    expect(guessed.notes).toEqual(["ENCODING_GUESSED"]);
    const told = await pandoc(Buffer.from("a|b;c\n\xe9|2;3\n", "latin1"), "csv", "html", { delimiter: "pipe", encoding: "windows-1252" });
    expect([rowsIn(told.text)[1], told.notes]).toEqual([["é", "2;3"], []]);
  });

  it("note merged spaces, and keep vertical bars within their cell", async () => {
    const text = 'a,b\n"x  y","p|q"\n';
    expect((await pandoc(text, "csv", "md")).notes).toEqual(["CHARACTERS_REPLACED"]);
    const made = async (to: string) => (await pandoc(text, "csv", to)).text;
    expect(await made("adoc")).toContain("p&#124;q");
    expect(await made("org")).toContain("p\\vert{}q");
    expect(await made("jira")).toContain("p\\|q");
    expect(await made("dokuwiki")).toContain("p%%|%%q");
  });
});

describe("text tables with GDAL", () => {
  it("keep text that looks like a number, with any column separator", async () => {
    const places = await gdal("name;lat;lon;zip;n;count\nA, b;48,1;11,5;007;1.10;3\nB;47.5;8.5;12E4;2;4;more\n", "csv", "geojson");
    const { features } = JSON.parse(places.text);
    expect(features.map(({ properties }: { properties: unknown }) => properties)).toEqual([
      { name: "A, b", zip: "007", n: "1.10", count: 3, field_7: "" },
      { name: "B", zip: "12E4", n: "2", count: 4, field_7: "more" },
    ]);
    expect(features[0].geometry.coordinates).toEqual([11.5, 48.1]);
    expect(places.notes).toEqual(["DIALECT_GUESSED"]);
  });
});

describe("text tables with LibreOffice", () => {
  const cells = [
    "007",
    "1.10",
    "12E4",
    "1-2",
    "3/4",
    "TRUE",
    "01.02.2024",
    "1.234,56",
    "=1+1",
    "1,234",
    "12345678901234567890",
    "0.1234567890123456",
  ];
  const names = cells.map((_, place) => `${place}.0`);
  const table = `${names.join(";")}\n${cells.join(";")}\n${cells.join(";")}\n`;

  it.each(["ods", "fods", "xlsm", "xls"])("keep text that looks like a number in %s", async (to) => {
    const book = await office(table, "csv", to);
    expect((await data(book.bytes, to === "fods" ? "fods" : to, "csv")).text.trim().split("\r\n")).toEqual(
      [names, cells, cells].map((row) => row.join(",")).map((line) => line.replace("1.234,56", '"1.234,56"').replace("1,234", '"1,234"')),
    );
  });

  it("convert columns of only numbers", async () => {
    const book = await office("name,count,ratio\nx,12,0.25\ny,-3,1.5\n", "csv", "ods");
    expect(JSON.parse((await data(book.bytes, "ods", "json")).text)).toEqual([
      { name: "x", count: 12, ratio: 0.25 },
      { name: "y", count: -3, ratio: 1.5 },
    ]);
  });

  it("are rejected above the target's limits of rows, columns and characters", async () => {
    const refused = expect.objectContaining({ code: "INPUT_TOO_COMPLEX", message: expect.stringContaining("allows more") });
    await expect(office(`a\n${"1\n".repeat(70_000)}`, "csv", "xls")).rejects.toEqual(refused);
    await expect(office(`${"a,".repeat(300)}a\n`, "csv", "xls")).rejects.toEqual(refused);
    await expect(office(`a\n${"x".repeat(40_000)}\n`, "csv", "ods")).rejects.toEqual(refused);
  });

  it("become PDF with unchanged values", async () => {
    const { path } = await office("a;b\n007;1.10\n3/4;0,50\n", "csv", "pdf");
    const { stdout } = await run("pdftotext", ["-layout", path, "-"]);
    expect(stdout.trim().split(/\s+/)).toEqual(["Sheet1", "a", "b", "007", "1.10", "3/4", "0,50", "Page", "1"]);
  });
});

describe("text tables converted to dBase with LibreOffice", () => {
  it("keep their values, and note renamed columns", async () => {
    const table = await office("CODE,a long name,Jürgen\n007,1.5,ü\nx,0.000000000012345,€\n", "csv", "dbf");
    expect((await data(table.bytes, "dbf", "csv")).text).toBe("CODE,A_LONG_NAM,J_RGEN\r\n007,1.5,ü\r\nx,0.000000000012345,€\r\n");
    expect(table.messages.get("NAMES_CHANGED")).toBe("Columns were renamed to fit the format: a long name, Jürgen.");
    expect((await office("A,B\n1,2\n", "csv", "dbf")).notes).toEqual([]);
  });

  it("are rejected if a cell is too long", async () => {
    const refused = { code: "INPUT_TOO_COMPLEX", message: expect.stringContaining("254 bytes") };
    await expect(office(`A,B\n${"x".repeat(255)},1\n`, "csv", "dbf")).rejects.toMatchObject(refused);
    expect((await office(`A,B\n${"x".repeat(254)},1\n`, "csv", "dbf")).bytes.includes("x".repeat(254))).toBe(true);
  });
});

describe("workbooks with LibreOffice", () => {
  const numbers = '[{"f":0.1234567890123456,"i":1234567890123456,"d":0.1}]';
  const bookOf = async () => (await data(numbers, "json", "xlsx")).bytes;

  it("keep numbers beyond the range of dates", async () => {
    const made = await office("ID;PWXL;N;E\nC;Y1;X1;K1e305\nC;Y1;X2;K-2.5e301\nC;Y1;X3;K7\nE\n", "slk", "csv");
    expect(made.text).toBe("1e+305,-2.5e+301,7\n");
  });

  it("keep booleans", async () => {
    const records = [
      { a: true, b: 1 },
      { a: false, b: 0 },
    ];
    const book = (await data(JSON.stringify(records), "json", "xlsx")).bytes;
    for (const to of ["ods", "xls"])
      expect(JSON.parse((await data((await office(book, "xlsx", to)).bytes, to, "json")).text), to).toEqual(records);
  });

  it("note the numbers that lose digits", async () => {
    const ods = await office(await bookOf(), "xlsx", "ods");
    expect(JSON.parse((await data(ods.bytes, "ods", "json")).text)).toEqual([{ f: 0.123456789012346, i: 1234567890123456, d: 0.1 }]);
    expect(ods.messages.get("NUMBERS_ROUNDED")).toBe("Numbers of more than 15 digits, or times below 10 ms, were rounded: Sheet1.A2.");
    const xlsm = await office(await bookOf(), "xlsx", "xlsm");
    expect(xlsm.messages.get("NUMBERS_ROUNDED")).toBe(
      "Numbers of more than 15 digits, or times below 10 ms, were rounded: Sheet1.A2, Sheet1.B2.",
    );
    expect((await office(await bookOf(), "xlsx", "xls")).notes).toEqual([]);
  });

  it("are rejected if they have more rows than the target supports", async () => {
    const long = (await data(`a\n${"1\n".repeat(70_000)}`, "csv", "xlsx")).bytes;
    await expect(office(long, "xlsx", "xls")).rejects.toMatchObject({ code: "INPUT_TOO_COMPLEX" });
  });

  it("keep Excel's dates, and note the times that lose precision", async () => {
    const made = await office(await readFile("test/corpus/values/types.xlsx"), "xlsx", "ods");
    const [first] = JSON.parse((await data(made.bytes, "ods", "json")).text);
    expect(first).toMatchObject({ d: "2021-03-04", dt: "2021-03-04T05:06:07.890", long: "PT36H5M", old: "1900-01-15", txt: "007" });
    expect(made.messages.get("NUMBERS_ROUNDED")).toContain("Shown.I2, Shown.A3");
  });

  it("convert the first visible or the selected sheet, and note hidden ones", async () => {
    const names = ["office", "table", "text", "style"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`);
    const cell = (text: string, formula = "") =>
      `<table:table-cell${formula} office:value-type="string" office:string-value="${text}"><text:p>${text}</text:p></table:table-cell>`;
    const sheet = (name: string, style: string, cells: string) =>
      `<table:table table:name="${name}" table:style-name="${style}"><table:table-row>${cells}</table:table-row></table:table>`;
    const formula = ' table:formula="of:=[$Secret.$A$1]&amp;&quot;!&quot;"';
    const book =
      `<?xml version="1.0"?><office:document ${names.join(" ")} xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" office:version="1.2"` +
      ' office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles><style:style style:name="ta1"' +
      ' style:family="table"><style:table-properties table:display="false"/></style:style></office:automatic-styles><office:body>' +
      `<office:spreadsheet>${sheet("Secret", "ta1", cell("hidden"))}${sheet("Shown", "ta2", cell("seen") + cell("hidden!", formula))}` +
      "</office:spreadsheet></office:body></office:document>";
    const ods = (await office(book, "fods", "ods")).bytes;
    for (const [content, from] of [
      [book, "fods"],
      [ods, "ods"],
    ] as const) {
      for (const convert of [data, office]) {
        const { text, messages } = await convert(content, from, "csv");
        expect(text.trim()).toBe("seen,hidden!");
        expect(messages.get("SHEETS_LEFT_OUT")).toBe("Hidden sheets were left out.");
      }
      for (const to of ["slk", "dif"]) {
        const { text } = await office(content, from, to);
        expect(text.match(/"(?:seen|hidden!?)"/g), to).toEqual(['"seen"', '"hidden!"']);
        expect(text).not.toContain("file:");
      }
      expect((await data(content, from, "csv", { sheet: "secret" })).text.trim()).toBe("hidden");
      expect((await office(content, from, "dif", { sheet: "secret" })).text).toContain('"hidden"');
    }
  });
});

it("writes the same CSV of a workbook with LibreOffice as with Filemill's own reader", async () => {
  const book = await readFile("test/corpus/values/types.xlsx");
  const [made, wanted] = [await office(book, "xlsx", "csv"), await data(book, "xlsx", "csv")].map(({ text }) => text.split(/\r?\n/));
  const [names, first, ...others] = made ?? [];
  expect([names, first]).toEqual([wanted?.[0], wanted?.[1]?.replace(",PT1H30M,", ",01:30:00,")]);
  expect(others).toEqual(wanted?.slice(2));
});

it("keeps the cells of a workbook in dBase with LibreOffice", async () => {
  const source = await readFile("test/corpus/values/types.xlsx");
  const made = await office(source, "xlsx", "dbf");
  const [, first, second] = (await data(made.bytes, "dbf", "csv")).text.split("\r\n");
  expect(first).toBe("2021-03-04,2021-03-04T05:06:07.891,01:30:00,01:30:00,PT36H5M,0.5,#N/A,3,9007199254740992,007,1900-01-15");
  expect(second).toMatch(/^2021-01-01T10:17:17\.034,/);
  expect(made.notes).toContain("TYPES_AS_TEXT");
  const { utils, write } = await import("@e965/xlsx");
  const day = (v: number) => [{ t: "n", v, z: "yyyy-mm-dd" }, v / 7];
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet([["DAY", "SHARE"], day(44259), day(20000)]));
  const days = await office(Buffer.from(write(book, { type: "buffer", bookType: "xlsx" })), "xlsx", "dbf");
  expect(days.bytes.toString("latin1", 43, 44)).toBe("D");
  expect((await data(days.bytes, "dbf", "csv")).text).toBe(`DAY,SHARE\r\n2021-03-04,${44259 / 7}\r\n1954-10-03,${20000 / 7}\r\n`);
});
