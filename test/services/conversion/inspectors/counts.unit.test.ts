import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import { countsOf } from "#services/conversion/inspectors/inside/counts/counts.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";

function sourceOf(content: Buffer | string): ByteSource {
  const bytes = Buffer.from(content);
  const read = async (offset: number, length: number) => bytes.subarray(offset, offset + Math.min(length, 262_144));
  return { sizeBytes: bytes.length, head: bytes.subarray(0, 65_536), read };
}

const told = <T extends object>(counts: T) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined));
const asSource = async (format: string, content: Buffer | string) =>
  told((await countsOf(sourceOf(content), sourceOf(""), { from: format, to: "none" })).source);
const asResult = async (format: string, content: Buffer | string) =>
  told((await countsOf(sourceOf(""), sourceOf(content), { from: "none", to: format })).result);
const sample = (name: string) => readFile(join(import.meta.dirname, "../../../corpus", name));

describe("counts in a corpus file", () => {
  it.each([
    ["office/sheet.xlsx", { sheets: 2, rows: 5, cells: 12 }],
    ["office/sheet.ods", { sheets: 2, rows: 5, cells: 12 }],
    ["typical/spreadsheet/typical.fods", { sheets: 2, rows: 5, cells: 12 }],
    ["office/slides.pptx", { pages: 5 }],
    ["office/slides.odp", { pages: 5 }],
    ["odd/moving.gif", { pages: 3 }],
    ["typical/image/typical.apng", { pages: 3 }],
    ["document/text.djvu", { pages: 1 }],
    ["typical/document/typical.xps", { pages: 1 }],
    ["typical/font/typical.ttf", { glyphs: 322 }],
    ["typical/font/typical.woff", { glyphs: 322 }],
    ["typical/model/typical.obj", { faces: 12 }],
    ["typical/model/typical.glb", { faces: 12 }],
    ["typical/model/typical.stl", { faces: 12 }],
  ])("of %s are %o", async (name, counts) => {
    const format = name.slice(name.lastIndexOf(".") + 1);
    expect(await asSource(format, await sample(name))).toEqual(counts);
    expect(await asResult(format, await sample(name))).toEqual(counts);
  });
});

it.each(["srt", "vtt", "ass", "ssa", "sbv"])("subtitles of %s may be empty if they start with a marker", async (format) => {
  const subtitles = await sample(`typical/subtitle/typical.${format}`);
  expect(await asResult(format, subtitles)).toEqual({ entries: 3 });
  expect(await asSource(format, subtitles)).toEqual({ entries: format === "sbv" ? 3 : 2 });
});

describe("rows", () => {
  it("count non-blank ones in a source and all in a result", async () => {
    const table = 'a;b\r\n"x\n""y""";2\n;\n" ";\n\n3;"4"';
    expect(await asSource("csv", table)).toEqual({ rows: 3 });
    expect(await asResult("csv", table)).toEqual({ rows: 5 });
    expect(await asSource("csv", Buffer.from("a,b", "utf16le"))).toEqual({});
    expect(await asSource("csv", "\ufeffsep=;\na;b\n")).toEqual({ rows: 1 });
    expect(await asSource("json", '[{"a":1},{"a":null},{"a":" "},{"a":false}]')).toEqual({ rows: 2 });
    expect(await asResult("json", '[{"a":1},{"a":null}]')).toEqual({ rows: 3 });
    expect(await asSource("json", '{"a":[1,2]}')).toEqual({});
    expect(await asSource("ndjson", '{"a":1}\n\n{"a":2}\n')).toEqual({ rows: 2 });
    expect(await asSource("vcf", "BEGIN:VCARD\r\nEND:VCARD\r\nBEGIN:VCARD\r\nEND:VCARD\r\n")).toEqual({ rows: 2 });
  });

  it("of a workbook do not count blank strings, however they are written", async () => {
    const cell = (name: string, text: string) => `<c r="${name}" t="s"><v>${text}</v></c>`;
    const sheet = `<row r="1">${cell("A1", "0")}${cell("B1", "1")}</row><row r="2">${cell("A2", "1")}${cell("B2", "2")}<c r="C2" s="1"/></row>`;
    const parts = [
      { name: "xl/workbook.xml", content: '<workbook><sheets><sheet name="a"/></sheets></workbook>' },
      { name: "xl/worksheets/sheet1.xml", content: `<worksheet><sheetData>${sheet}</sheetData></worksheet>` },
      {
        name: "xl/sharedStrings.xml",
        content: "<sst><si><t>x</t></si><si><r><t xml:space='preserve'>&#xA0; </t></r></si><si><t>_x000D_</t></si></sst>",
      },
    ];
    expect(await asSource("xlsx", zipFile(parts))).toEqual({ sheets: 1, rows: 1, cells: 1 });
    expect(await asResult("xlsx", zipFile(parts))).toEqual({ sheets: 1, rows: 2, cells: 4 });
    const orphan = { name: "xl/worksheets/sheet2.xml", content: "<worksheet/>" };
    expect(await asSource("xlsx", zipFile([...parts, orphan]))).toEqual({});
    const run = '<c r="A1" t="inlineStr"><is><r><rPr></rPr><t>rich</t></r></is></c>';
    const rich = parts.map((part) =>
      part.name.includes("sheet1") ? { ...part, content: `<sheetData><row>${run}${run}</row></sheetData>` } : part,
    );
    expect(await asSource("xlsx", zipFile(rich))).toEqual({ sheets: 1, rows: 1, cells: 2 });
  });

  it("of OpenDocument respect repeat counts and ignore copies of other files", async () => {
    const cell = "<table:table-cell table:number-columns-repeated='2'/>"
      .replaceAll("'", '"')
      .replace("/>", "><text:p>x</text:p></table:table-cell>");
    const rows = `<table:table-row table:number-rows-repeated="3">${cell}</table:table-row><table:table-row><table:table-cell/></table:table-row>`;
    const shape =
      "<table:table-row><table:table-cell><draw:frame><draw:text-box><text:p>x</text:p></draw:text-box></draw:frame></table:table-cell></table:table-row>";
    const copy = `<table:table><table:table-source/>${rows}</table:table>`;
    expect(await asSource("fods", `<office:spreadsheet><table:table>${rows}${shape}</table:table>${copy}</office:spreadsheet>`)).toEqual({
      sheets: 1,
      rows: 3,
      cells: 6,
    });
  });
});

describe("pages", () => {
  it("of a PDF are taken from its only page tree root", async () => {
    const pdf = pdfOf(["one", "two", "three"]);
    expect(await asSource("pdf", pdf)).toEqual({ pages: 3 });
    const changed = `${Buffer.from(pdf).toString("latin1")}\n9 0 obj << /Type /Pages /Kids [] /Count 4 >> endobj`;
    expect(await asSource("pdf", Buffer.from(changed, "latin1"))).toEqual({});
  });

  it("of a presentation with sections are its slides, once", async () => {
    const sections = '<p14:section><p14:sldIdLst><p14:sldId id="256"/></p14:sldIdLst></p14:section>';
    const content = `<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId2"/></p:sldIdLst>${sections}</p:presentation>`;
    expect(await asSource("pptx", zipFile([{ name: "ppt/presentation.xml", content }]))).toEqual({ pages: 1 });
  });
});

it.each(["/Type /Pages ", "<</Type /Pages ", "/ObjStm ", "/ObjStm stream ", "<< /ObjStm stream\nx endstream"])(
  "gives up on a PDF of only %o in a single pass",
  async (piece) => {
    expect(await asSource("pdf", piece.repeat(200_000))).toEqual({});
  },
);

describe("sound and film", () => {
  it("counts sound and film in the records of Kindle books", async () => {
    const records = ["BOOK", "AUDIsound", "VIDEfilm", "AUD"];
    const head = Buffer.alloc(78 + 8 * records.length);
    head.writeUInt16BE(records.length, 76);
    let at = head.length;
    for (const [place, record] of records.entries()) {
      head.writeUInt32BE(at, 78 + 8 * place);
      at += record.length;
    }
    expect(await asSource("azw3", Buffer.concat([head, Buffer.from(records.join(""))]))).toMatchObject({ media: 2 });
  });

  it("of a book are counted", async () => {
    const names = ["OPS/a.xhtml", "OPS/audio/a.mp3", "OPS/film.mp4", "__MACOSX/film.mp4"];
    expect(await asSource("epub", zipFile(names.map((name) => ({ name, content: "x" }))))).toMatchObject({ media: 2 });
  });
});

describe("letters", () => {
  const word = (body: string) => zipFile([{ name: "word/document.xml", content: `<w:document><w:body>${body}</w:body></w:document>` }]);
  const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;

  it("of a source are the visible ones", async () => {
    const box = `<w:txbxContent>${run("boxed")}</w:txbxContent>`;
    const twice = `<mc:AlternateContent><mc:Choice>${box}</mc:Choice><mc:Fallback>${box}</mc:Fallback></mc:AlternateContent>`;
    expect(await asSource("docx", word(`${run("a &amp; b\u0301")}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>${twice}`))).toEqual({
      letters: 7,
    });
    expect(await asSource("docx", word(`<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>${run("seen")}`))).toEqual({});
    expect(await asSource("html", "<head><title>t</title></head><p>one<!-- no --><script>two</script> <b>3</b></p>")).toEqual({
      letters: 4,
    });
    expect(await asSource("html", '<p>one</p><p style="display: none">two</p>')).toEqual({});
    expect(await asSource("md", "[one](two)")).toEqual({});
  });

  it("of a source exclude dates, page numbers and field results other than links", async () => {
    const field = (asked: string, result: string) =>
      `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> ${asked} </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` +
      `${run(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const fields = field("DATE", `1 May${field("PAGE", "12")}`) + field("HYPERLINK a", "link") + run("end");
    expect(await asSource("docx", word(fields))).toEqual({ letters: 7 });
    const odt = "<office:body><text:p>on <text:date>1 May</text:date> by <text:author-name>Ann</text:author-name></text:p></office:body>";
    expect(await asSource("odt", zipFile([{ name: "content.xml", content: odt }]))).toEqual({ letters: 4 });
  });

  it("counts raised and lowered digits, as plain text has them", async () => {
    expect(await asResult("txt", "10⁻³ m², H₂O × 2")).toEqual({ letters: 9 });
  });

  it("of a result are all of them", async () => {
    expect(await asResult("md", "[one](two)")).toEqual({ letters: 6 });
    expect(await asResult("html", "<head><title>t</title><style>a { b: c }</style></head><p>one</p>")).toEqual({ letters: 4 });
    expect(await asResult("txt", Buffer.from([0xff, 0xfe, 0x41]))).toEqual({});
  });

  it.each([
    ["text, of which a brace is no group", "{\\rtf1 one\\par \\b two\\b0\\{3\\}}", 7],
    [
      "fonts, styles, pictures and drawn properties",
      "{\\rtf1{\\fonttbl{\\f0 Arial;}}{\\pict\\pngblip 89504e}{\\sp{\\sn a}{\\sv b}}one}",
      3,
    ],
    ["characters for older readers", "{\\rtf1\\uc2 \\u26481\\'93\\'8c{\\uc1\\u233 ee}\\u8364??\\'e9}", 4],
    [
      "an address, and what other fields show",
      '{\\rtf1{\\field{\\*\\fldinst{ HYPERLINK "x" }}{\\fldrslt{link}}}{\\field{\\*\\fldinst{EQ a}}}}',
      7,
    ],
    ["more ends than groups", "{\\rtf1 a}}}b", 2],
  ])("of rich text are counted with %s", async (_, rtf, letters) => {
    expect(await asResult("rtf", rtf)).toEqual({ letters });
    expect(await asSource("rtf", rtf)).toEqual({});
  });
});

describe("triangles", () => {
  it("of glTF are those of the active scene, once per node", async () => {
    const scene = {
      scene: 1,
      scenes: [{ nodes: [2] }, { nodes: [0] }],
      nodes: [{ mesh: 0, children: [1] }, { mesh: 0 }, { mesh: 0 }],
      meshes: [
        {
          primitives: [
            { indices: 0, attributes: {} },
            { mode: 1, attributes: { POSITION: 0 } },
          ],
        },
      ],
      accessors: [{ count: 30 }],
    };
    expect(await asSource("gltf", JSON.stringify(scene))).toEqual({ faces: 20 });
  });

  it("of Wavefront count triangulated polygons", async () => {
    expect(await asSource("obj", "v 0 0 0\nf 1 2 3\nf 1/1 2/2 3/3 4/4\n")).toEqual({ faces: 3 });
  });
});

it("returns no counts for a damaged file", async () => {
  expect(await asSource("xlsx", "PK\u0003\u0004")).toEqual({});
  expect(await asSource("tiff", "II*\0")).toEqual({});
  expect(await asSource("ttf", "\0\u0001\0\0")).toEqual({});
});
