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
