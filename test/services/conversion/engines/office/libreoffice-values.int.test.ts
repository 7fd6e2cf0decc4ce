/** Values of workbooks that LibreOffice used to change silently. Each test is named after the finding. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { dataEngine } from "#services/conversion/engines/data/data.ts";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { useBench } from "#test/contract/engine.ts";
import { zipFile } from "#test/harness/zip-file.ts";

const office = useBench(libreofficeEngine);
const data = useBench(dataEngine);

const names = ["office", "table", "text", "style"]
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .join(" ");
const mimetype = "application/vnd.oasis.opendocument.spreadsheet";

/** As non-office programs write it: without styles. */
function openDocument(cells: string, styles = ""): Buffer {
  const content = `<?xml version="1.0"?><office:document-content ${names} office:version="1.2">${styles}<office:body><office:spreadsheet><table:table table:name="S"><table:table-row>${cells}</table:table-row></table:table></office:spreadsheet></office:body></office:document-content>`;
  const manifest = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${mimetype}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>`;
  const parts = Object.entries({ mimetype, "content.xml": content, "META-INF/manifest.xml": manifest });
  return zipFile(parts.map(([name, text]) => ({ name, content: Buffer.from(text) })));
}

function workbook(cells: string, columns = ""): Buffer {
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
  const packages = "http://schemas.openxmlformats.org/package/2006";
  const type = (part: string, kind: string) =>
    `<Override PartName="${part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
  const relation = (kind: string, target: string) =>
    `<Relationships xmlns="${packages}/relationships"><Relationship Id="r1" Type="${relations}/${kind}" Target="${target}"/></Relationships>`;
  const parts = {
    "[Content_Types].xml": `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${type("/xl/workbook.xml", "sheet.main")}${type("/xl/worksheets/sheet1.xml", "worksheet")}</Types>`,
    "_rels/.rels": relation("officeDocument", "xl/workbook.xml"),
    "xl/workbook.xml": `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relation("worksheet", "worksheets/sheet1.xml"),
    "xl/worksheets/sheet1.xml": `<worksheet xmlns="${main}">${columns}<sheetData><row r="1">${cells}</row></sheetData></worksheet>`,
  };
  return zipFile(Object.entries(parts).map(([name, text]) => ({ name, content: Buffer.from(text) })));
}

/** Converts through these formats with the office; returns the first row as JSON, and the notes of the last step. */
async function rowAlong(content: Buffer, ...formats: readonly string[]) {
  let path = await office.given(content, formats[0] ?? "");
  let notes: readonly string[] = [];
  for (const [place, to] of formats.slice(1).entries()) {
    const made = await office.convert(path, formats[place] ?? "", to);
    [path, notes] = [made.path, [...made.notes.values()].map(String)];
  }
  const { path: json } = await data.convert(path, formats.at(-1) ?? "", "json", { header: false });
  return { row: Object.values(JSON.parse(await readFile(json, "utf8"))[0]), notes };
}

const typed = (type: string, attributes: string) =>
  `<table:table-cell office:value-type="${type}" ${attributes}><text:p>x</text:p></table:table-cell>`;
const text = (inner: string) => `<table:table-cell office:value-type="string">${inner}</table:table-cell>`;

describe("cells of an OpenDocument", () => {
  const cells = [
    typed("date", 'office:date-value="2021-03-04"'),
    typed("date", 'office:date-value="2021-03-04T05:06:07"'),
    typed("date", 'office:date-value="2021-03-04T05:06:07.250"'),
    typed("time", 'office:time-value="PT05H06M07S"'),
    typed("time", 'office:time-value="PT36H05M00S"'),
    typed("boolean", 'office:boolean-value="true"'),
    typed("float", 'office:value="1.5"'),
  ].join("");
  const values = ["2021-03-04", "2021-03-04T05:06:07", "2021-03-04T05:06:07.250", "05:06:07", "PT36H5M", true, 1.5];

  it.each(["xlsx", "xls", "fods"])("without a style become dates, times and truth values of %s", async (to) => {
    expect((await rowAlong(openDocument(cells), "ods", to)).row).toEqual(values);
    expect((await rowAlong(openDocument(cells, "<office:automatic-styles/>"), "ods", to)).row).toEqual(values);
  });

  it("keep tabs and line breaks in XLSX", async () => {
    const given = [
      text("<text:p>a<text:tab/>b</text:p>"),
      text("<text:p>a<text:tab/>b</text:p><text:p>c</text:p>"),
      text("<text:p>a<text:line-break/>b</text:p>"),
    ];
    expect(await rowAlong(openDocument(given.join("")), "ods", "xlsx")).toEqual({ row: ["a\tb", "a\tb\nc", "a\nb"], notes: [] });
  });

  it("are left as they are where what looks like a tag is text", async () => {
    const given = [text("<text:p><![CDATA[<text:tab/>]]></text:p>"), typed("float", 'office:value="1.5"')].join("");
    expect((await rowAlong(openDocument(given), "ods", "xlsx")).row).toEqual(["<text:tab/>", 1.5]);
  });

  it("in a packed part that is damaged are refused, and the office works on", async () => {
    const path = join(office.folder, "damaged.ods");
    const packed = Buffer.from(zipSync(unzipSync(openDocument(cells))));
    // Within the compressed bytes of content.xml, after its name in the local header.
    const start = packed.indexOf("content.xml") + 40;
    packed.fill(0xff, start, start + 60);
    await writeFile(path, packed);
    await expect(office.convert(path, "ods", "xlsx")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect((await rowAlong(openDocument(cells), "ods", "xlsx")).row).toEqual(values);
  });

  it.each(["xlsx", "xls"])("of January and February 1900 are the same days in %s", async (to) => {
    const days = ["1899-12-31", "1900-01-01", "1900-02-28", "1900-03-01"];
    const given = days.map((day) => typed("date", `office:date-value="${day}"`)).join("");
    expect((await rowAlong(openDocument(given), "ods", to)).row).toEqual(days);
  });
});

describe("cells of a workbook", () => {
  const truth =
    '<c r="A1" t="b"><v>1</v></c><c r="B1" t="b"><f>1=1</f><v>1</v></c><c r="C1" t="b"><f>AND(A1,FALSE)</f><v>0</v></c><c r="D1"><v>1</v></c><c r="E1"><f>2-1</f><v>1</v></c>';

  it.each([
    ["xlsx", "ods"],
    ["xlsx", "xls"],
    ["xlsx", "xls", "ods"],
    ["xlsx", "xls", "xlsx"],
    ["xlsx", "ods", "xlsx"],
  ])("stay truth values along %s, %s, %s", async (...formats) => {
    expect((await rowAlong(workbook(truth), ...formats.filter((each) => each !== undefined))).row).toEqual([true, true, false, 1, 1]);
  });

  it("stay booleans if they are written as words", async () => {
    const cells =
      '<c r="A1" t="b"><v>true</v></c><c r="B1" t="b"><v>false</v></c><c r="C1" t="b"><v>0</v></c><c r="D1" t="str"><v>true</v></c>';
    expect(await rowAlong(workbook(cells), "xlsx", "ods")).toEqual({ row: [true, false, false, "true"], notes: [] });
  });

  it("keep the last column next to a formula with a boolean result", async () => {
    const cell = '<c r="A1"><f>1=1</f><v>1</v></c><c r="XFD1"><v>7</v></c>';
    const { row } = await rowAlong(workbook(cell), "xlsx", "ods");
    expect([row.length, row.at(-1)]).toEqual([16_384, 7]);
  });

  it.each(["ods", "fods"])("have spaces for tabs beside line breaks in %s, with a note", async (to) => {
    const cell = '<c r="A1" t="inlineStr"><is><t>a\tb\nc\td</t></is></c><c r="B1" t="inlineStr"><is><t>a\tb</t></is></c>';
    expect(await rowAlong(workbook(cell), "xlsx", to)).toEqual({
      row: ["a b\nc d", "a\tb"],
      notes: ["Tabs in cells became spaces: S.A1."],
    });
  });

  it.each(["ods", "fods"])("lose control characters in %s, with a note", async (to) => {
    const cell = '<c r="A1" t="inlineStr"><is><t>a_x0001_b</t></is></c><c r="B1" t="inlineStr"><is><t>c_x000B_d</t></is></c>';
    expect(await rowAlong(workbook(cell), "xlsx", to)).toEqual({
      row: ["ab", "cd"],
      notes: ["Control characters in cells were left out: S.A1, S.B1."],
    });
  });

  it.each(["pdf", "html"])("in hidden columns are left out of %s, with a note", async (to) => {
    const cells = '<c r="A1"><v>1</v></c><c r="B1"><v>2</v></c>';
    const columns = '<cols><col min="2" max="2" width="9" hidden="1"/></cols>';
    const path = join(office.folder, `hidden-${to}.xlsx`);
    await writeFile(path, workbook(cells, columns));
    expect((await office.convert(path, "xlsx", to)).notes.get("TEXT_LEFT_OUT")).toBe(
      "Hidden rows and columns were left out, with one filled cell.",
    );
    await writeFile(path, workbook(cells));
    expect((await office.convert(path, "xlsx", to)).notes.has("TEXT_LEFT_OUT")).toBe(false);
  });

  it("are looked for in workbooks with empty sheets, which the office cannot be asked about", async () => {
    const path = join(office.folder, "empty-sheet.xlsx");
    await writeFile(path, workbook(""));
    expect((await office.convert(path, "xlsx", "html")).notes.size).toBe(0);
  });
});

describe("formulas that the office does not know", () => {
  const cells =
    '<c r="A1"><f>_xlfn.LET(_xlpm.x,1,_xlpm.x+4)</f><v>5</v></c><c r="B1" t="str"><f>_xlfn.LET(_xlpm.x,1,"b")</f><v>b</v></c>' +
    '<c r="C1"><f t="array" ref="C1:D1">_xlfn._xlws.SORT({1,2})</f><v>1</v></c><c r="D1"><v>2</v></c>' +
    '<c r="E1" t="b"><f>_xlfn.LET(_xlpm.x,1,TRUE)</f><v>1</v></c><c r="F1" t="e"><f>A1:A9</f><v>#SPILL!</v></c><c r="G1" t="e"><f>NA()</f><v>#N/A</v></c>';

  it.each([
    ["xlsx", "ods"],
    ["xlsx", "xls"],
    ["xlsx", "xlsm"],
    ["xlsx", "fods", "xlsx"],
  ])("keep their results along %s, %s, %s, with a note", async (...formats) => {
    const made = await rowAlong(workbook(cells), ...formats.filter((each) => each !== undefined));
    expect(made.row).toEqual([5, "b", 1, 2, true, "#SPILL!", "#N/A"]);
    if (formats.length < 3)
      expect(made.notes).toEqual(["Formulas that cannot be computed here were replaced by their results: S.B1, S.C1, S.D1 and others."]);
  });

  it("keep the results of an OpenDocument", async () => {
    const given = `${typed("float", 'table:formula="of:=COM.MICROSOFT.XLOOKUP(1;1;1)" office:value="42"')}${typed("date", 'table:formula="of:=FOO()" office:date-value="2021-03-04"')}`;
    expect((await rowAlong(openDocument(given), "ods", "xlsx")).row).toEqual([42, "2021-03-04"]);
  });

  it("keep their results if they reveal our files or system", async () => {
    const given =
      '<c r="A1" t="str"><f>CELL("filename")</f><v>C:\\[x.xlsx]S</v></c><c r="B1" t="str"><f>INFO("system")</f><v>pcdos</v></c><c r="C1"><f>LEN("x")</f><v>1</v></c>';
    expect(await rowAlong(workbook(given), "xlsx", "ods")).toEqual({
      row: ["C:\\[x.xlsx]S", "pcdos", 1],
      notes: ["Formulas that cannot be computed here were replaced by their results: S.A1, S.B1."],
    });
  });

  it("keep results of several kinds below each other", async () => {
    const [unknown, spilled] = ["<f>NOSUCH(1)</f>", "<f>1+1</f>"];
    const rows = [
      `<c r="A2" t="str">${unknown}<v>12</v></c>`,
      `<c r="A3">${unknown}<v>12.5</v></c>`,
      `<c r="A4" t="b">${unknown}<v>1</v></c>`,
      `<c r="A5" t="e">${unknown}<v>#N/A</v></c>`,
      `<c r="A6" t="e">${spilled}<v>#SPILL!</v></c>`,
    ];
    const path = join(office.folder, "below.xlsx");
    await writeFile(path, workbook(`<c r="A1"><v>0</v></c></row>${rows.map((cell, at) => `<row r="${at + 2}">${cell}`).join("</row>")}`));
    const made = await office.convert(path, "xlsx", "ods");
    const { path: json } = await data.convert(made.path, "ods", "json", { header: false });
    expect(JSON.parse(await readFile(json, "utf8")).flatMap(Object.values)).toEqual([0, "12", 12.5, true, "#N/A", "#SPILL!"]);
    expect([...made.notes.values()]).toEqual([
      "Formulas that cannot be computed here were replaced by their results: S.A2, S.A4, S.A5 and others.",
    ]);
  });

  it("are noted if they have no result", async () => {
    const { notes } = await rowAlong(workbook('<c r="A1"><f>_xlfn.LET(_xlpm.x,1,2)</f></c><c r="B1"><f>1/0</f></c>'), "xlsx", "ods");
    expect(notes).toEqual(["Formulas without a result use unknown functions or names: S.A1."]);
  });
});

it.each([
  ["ods", ["#S.B2", "../other.xlsx", "https://x.org/?a=%22%40", "../../up.pdf", "../number.pdf"]],
  ["html", ["#S.B2", "other.xlsx", "https://x.org/?a=%22%40", "../up.pdf"]],
] as const)("keeps a workbook's links to its cells and to neighbouring files in %s", async (to, wanted) => {
  const links = [..."ABCDE"].map((column, place) => `<hyperlink ref="${column}1" r:id="h${place}"/>`).join("");
  const texts = ["A", "B", "C", "D"].map((column) => `<c r="${column}1" t="inlineStr"><is><t>x</t></is></c>`);
  const cells = [...texts, '<c r="E1"><v>5</v></c>'].join("");
  const type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const parts = unzipSync(workbook(cells));
  const sheet = Buffer.from(parts["xl/worksheets/sheet1.xml"] ?? "").toString();
  parts["xl/worksheets/sheet1.xml"] = Buffer.from(
    sheet.replace("<worksheet ", `<worksheet xmlns:r="${type}" `).replace("</worksheet>", `<hyperlinks>${links}</hyperlinks></worksheet>`),
  );
  const targets = ["#S!B2", "other.xlsx", "https://x.org/?a=%22%40", "../up.pdf", "number.pdf"]
    .map((target, place) => `<Relationship Id="h${place}" Type="${type}/hyperlink" Target="${target}" TargetMode="External"/>`)
    .join("");
  parts["xl/worksheets/_rels/sheet1.xml.rels"] = Buffer.from(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets}</Relationships>`,
  );
  const path = join(office.folder, `links-${to}.xlsx`);
  await writeFile(path, zipSync(parts));
  const made = await office.convert(path, "xlsx", to);
  const bytes = await readFile(made.path);
  const text = to === "ods" ? Buffer.from(unzipSync(bytes)["content.xml"] ?? "").toString() : bytes.toString();
  expect(new Set([...text.matchAll(/href="([^"]*)"/g)].map(([, target]) => target))).toEqual(new Set(wanted));
  expect(made.notes.get("TEXT_LEFT_OUT")).toBe("Links of cells with numbers were left out: S.E1.");
});

describe("a document of Numbers with a pop-up menu", () => {
  /** Field numbers below 16 and lengths below 128. */
  const field = (number: number, content: Buffer | number) =>
    typeof content === "number"
      ? Buffer.from([number << 3, (content & 0x7f) | 0x80, content >> 7])
      : Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
  /** A list of choices: an information with the type of its only message, then the message, in one literal of Snappy. */
  function menuWith(...choices: readonly string[]): Uint8Array {
    const menu = Buffer.concat(choices.map((each) => field(2, field(5, field(1, Buffer.from(each))))));
    const information = Buffer.concat([field(1, 4238), field(2, Buffer.concat([field(1, 6206), field(3, menu.length)]))]);
    const content = Buffer.concat([Buffer.from([information.length]), information, menu]);
    const block = Buffer.concat([Buffer.from([content.length, 60 << 2, content.length - 1]), content]);
    return Buffer.concat([Buffer.from([0, block.length, 0, 0]), block]);
  }

  it("has the numbers of choices in its cells, with a note", async () => {
    const parts = unzipSync(await readFile("test/corpus/typical/spreadsheet/older.numbers"));
    const convert = async (added: Record<string, Uint8Array>) => {
      const path = join(office.folder, "menu.numbers");
      await writeFile(path, zipSync({ ...parts, ...added }, { level: 0 }));
      return (await office.convert(path, "numbers", "xlsx")).notes.get("TEXT_LEFT_OUT");
    };
    expect(await convert({ "Index/Tables/DataList-99.iwa": menuWith("Home", "Food") })).toBe(
      "Choices in pop-up menus became their numbers.",
    );
    expect(await convert({ "Index/Tables/DataList-99.iwa": menuWith() })).toBeUndefined();
    // Damaged, a number without an end, a number where a message belongs.
    const endless = Buffer.concat([Buffer.from([0, 103, 0, 0, 100, 60 << 2, 99]), Buffer.alloc(100, 0xff)]);
    const misplaced = Buffer.from([0, 5, 0, 0, 3, 2 << 2, 2, 2 << 3, 1]);
    for (const list of [Buffer.from("damaged, as it is no list at all"), endless, misplaced])
      expect(await convert({ "Index/Tables/DataList-99.iwa": list })).toBeUndefined();
  });
});

it("texts that look like escapes, and NUL, arrive in ODS without escapes of Excel", async () => {
  const source = join(data.folder, "escapes.json");
  await writeFile(source, '[{"a":"x_x0041_y","b":"_x005F_","c":"p\\u0000q"}]');
  const { path, notes } = await data.convert(source, "json", "xlsx");
  expect([...notes.keys()]).toEqual(["CHARACTERS_REPLACED"]);
  const made = await office.convert(path, "xlsx", "ods");
  const table = await office.convert(made.path, "ods", "csv");
  expect(await readFile(table.path, "utf8")).toBe("a,b,c\nx_x0041_y,_x005F_,p\ufffdq\n");
});
