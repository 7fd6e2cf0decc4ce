import { execFile } from "node:child_process";
import { copyFile, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const run = promisify(execFile);
const office = converting(libreofficeEngine);

it("reads a diagram of nested paragraphs in linear time", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "unshown-"));
  for (const name of ["packages", "unshown"])
    await copyFile(`services/conversion/engines/office/libreoffice-${name}.py`, join(folder.path, `${name}.py`));
  const nested = `${"<a:p>".repeat(30_000)}<a:t>one two</a:t><a:br/><a:t>three</a:t>${"</a:p>".repeat(30_000)}`;
  const slides = join(folder.path, "slides.pptx");
  await writeFile(slides, zipSync({ "ppt/diagrams/data1.xml": strToU8(`<d xmlns:a="a">${nested}</d>`) }));
  const script = "import sys; sys.path.insert(0, sys.argv[1]); import unshown; print(list(unshown.words_in_diagrams(sys.argv[2])))";
  const { stdout } = await run("/usr/bin/python3", ["-I", "-c", script, folder.path, slides], { timeout: 10_000 });
  expect(stdout.trim()).toBe("['onetwo', 'three']");
});

it("names the properties for which a PDF has no place", async () => {
  const names = ["office", "text", "meta"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`).join(" ");
  const own = (name: string, value: string) => `<meta:user-defined meta:name="${name}">${value}</meta:user-defined>`;
  const counted = own("Slides", "2") + own("PresentationFormat", "Widescreen");
  const told = `<dc:title>Kept</dc:title><dc:description>Of a kitchen</dc:description>${own("Company", "Quokka Ltd")}${own("Case", "7")}${own("AppVersion", "16")}${counted}`;
  const given = `<office:document ${names} xmlns:dc="http://purl.org/dc/elements/1.1/" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:meta>${told}</office:meta><office:body><office:text><text:p>Text.</text:p></office:text></office:body></office:document>`;
  const { messages } = await office(given, "fodt", "pdf");
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Properties of the document were left out: description, Case, company.");
});

it("says that text in a frame became a picture of a page", async () => {
  const names = ["office", "text", "table"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`);
  const size =
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" svg:width="5cm" svg:height="3cm"';
  const given = (anchor: string, content: string) =>
    `<office:document ${names.join(" ")} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text"><office:body><office:text><text:p>Text.<draw:frame ${size} draw:name="Frame1" text:anchor-type="${anchor}"><draw:text-box>${content}</draw:text-box></draw:frame></text:p></office:text></office:body></office:document>`;
  const table =
    "<table:table><table:table-column/><table:table-row><table:table-cell><text:p>Numbat</text:p></table:table-cell></table:table-row></table:table>";
  const drawn = await office(given("as-char", table), "fodt", "html");
  expect(drawn.text).not.toContain("Numbat");
  expect(drawn.messages.get("TEXT_LEFT_OUT")).toBe("Text in frames became pictures.");
  const kept = await office(given("paragraph", "<text:p>Numbat</text:p>"), "fodt", "html");
  expect(kept.text).toContain("Numbat");
  expect(kept.notes).toEqual([]);
});

it("keeps pictures of sheets in a page, and says what it lacks or draws", async () => {
  const names = ["office", "text", "table", "style"].map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`);
  const drawing =
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"';
  const style = '<style:style style:name="off" style:family="table"><style:table-properties table:display="false"/></style:style>';
  const sheet = (name: string, content: string) =>
    `<table:table table:name="${name}"${name === "Hidden" ? ' table:style-name="off"' : ""}><table:table-row><table:table-cell office:value-type="string">${content}<text:p>${name}</text:p></table:table-cell></table:table-row></table:table>`;
  const book = (sheets: string) =>
    `<office:document ${names.join(" ")} ${drawing} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:automatic-styles>${style}</office:automatic-styles><office:body><office:spreadsheet>${sheets}</office:spreadsheet></office:body></office:document>`;
  const box = (label: string) =>
    `<draw:rect svg:width="2cm" svg:height="1cm" svg:x="4cm" svg:y="2cm">${label === "" ? "" : `<text:p>${label}</text:p>`}</draw:rect>`;

  const drawn = await office(book(sheet("Shown", box("")) + sheet("Hidden", box("Wombat"))), "fods", "html");
  expect(drawn.text).toContain('<img src="data:image/png;base64,iVBORw0KGgo');
  expect(drawn.text).not.toContain("Hidden");
  expect([...drawn.messages]).toEqual([["SHEETS_LEFT_OUT", "Hidden sheets were left out."]]);

  const labelled = await office(book(sheet("Shown", box("Numbat"))), "fods", "html");
  expect([...labelled.messages]).toEqual([["TEXT_LEFT_OUT", "Text in frames became pictures."]]);

  const remark = "<office:annotation><text:p>Remark</text:p></office:annotation>";
  const commented = await office(book(sheet("Shown", remark)), "fods", "html");
  expect([...commented.messages]).toEqual([["TEXT_LEFT_OUT", "Comments were left out."]]);
});

/** A document in one file of OpenDocument. */
function opened(kind: "text" | "presentation", content: string, more = ""): string {
  const schemas = { office: "office", text: "text", draw: "drawing", svg: "svg-compatible", style: "style" };
  const names = Object.entries(schemas).map(([name, schema]) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${schema}:1.0"`);
  return `<office:document ${names.join(" ")} office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.${kind}">${more}<office:body><office:${kind}>${content}</office:${kind}></office:body></office:document>`;
}

it("says that text beside the slides is not in their PDF", async () => {
  const box = (x: number, text: string) =>
    `<draw:frame svg:x="${x}cm" svg:y="1cm" svg:width="5cm" svg:height="2cm"><draw:text-box><text:p>${text}</text:p></draw:text-box></draw:frame>`;
  const slides = (...boxes: string[]) => opened("presentation", `<draw:page draw:name="a">${boxes.join("")}</draw:page>`);
  const beside = await office(slides(box(1, "Numbat"), box(60, "Wombat")), "fodp", "pdf");
  expect(beside.messages.get("TEXT_LEFT_OUT")).toBe("Text beside the slides was left out.");
  expect((await office(slides(box(1, "Numbat"), box(60, "")), "fodp", "pdf")).notes).toEqual([]);
});

it("says that rich text lacks the headers of even pages", async () => {
  const heads = "<style:header><text:p>Odd</text:p></style:header><style:header-left><text:p>Even</text:p></style:header-left>";
  const page = `<office:automatic-styles><style:page-layout style:name="l"><style:header-style/></style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="Standard" style:page-layout-name="l">${heads}</style:master-page></office:master-styles>`;
  const { text, messages } = await office(opened("text", "<text:p>Numbat</text:p>", page), "fodt", "rtf");
  expect(text).toContain("Odd");
  expect(text).not.toContain("Even");
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Headers and footers of even pages were left out.");
});

it("names the manager and the category of rich text, which the office does not read", async () => {
  const rich = (kind: string, name: string) => `{\\rtf1\\ansi{\\info{\\title Reefs}{\\${kind} ${name}}}Coral\\par}`;
  for (const [kind, name, note] of [
    ["manager", "Ida Moss", "The document's manager or category was left out."],
    ["category", "\\u1056?\\u1080?\\u1092?", "The document's manager or category was left out."],
    ["company", "Ida Moss", undefined],
  ] as const)
    expect((await office(rich(kind, name), "rtf", "docx")).messages.get("TEXT_LEFT_OUT")).toBe(note);
});

it("says that only the first of several documents of rich text in a file is read", async () => {
  const rich = (text: string) => `{\\rtf1\\ansi{\\b ${text}}\\par}`;
  expect((await office(`${rich("Numbat")}\n${rich("Wombat")}`, "rtf", "docx")).messages.get("TEXT_LEFT_OUT")).toBe(
    "Only the first of several documents in the file was converted.",
  );
  expect((await office(rich("\\}{\\b \\\\rtf1}"), "rtf", "docx")).notes).toEqual([]);
});
