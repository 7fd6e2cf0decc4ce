import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import { afterAll, beforeAll, expect, it } from "vitest";
import { libreofficeEngine } from "#services/conversion/engines/office/libreoffice.ts";
import { pdfOf } from "#test/services/conversion/engines/pdf/pdf-by-hand.ts";
import { converting } from "#test/services/conversion/engines/shared/converting.ts";

const run = promisify(execFile);
const square = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const talk = `## Animals

- Quokka
    - of the *west*
        - and deep
- [Zebra](https://example.org/zebra)

1. first
2. second

::: notes
Speak slowly.
:::

## Counts

| Animal | Count |
|--------|-------|
| Quokka | 42    |

## Code

Call \`f\` so:

\`\`\`
def f(a):
    return a
\`\`\`

## Look

![A square](square.png)
`;

let folder: string;
let slides: Buffer;
const convert = converting(libreofficeEngine);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "filemill-slides-"));
  await writeFile(join(folder, "square.png"), Buffer.from(square, "base64"));
  await writeFile(join(folder, "talk.md"), talk);
  // Written by another program from known Markdown.
  await run("pandoc", ["talk.md", "-o", "talk.pptx"], { cwd: folder });
  slides = await readFile(join(folder, "talk.pptx"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const list = (level: number, text: string, ordered = false) => ({ level, ordered, text });
const animals = {
  number: 1,
  title: "Animals",
  hidden: false,
  blocks: [
    { type: "list", items: [list(1, "Quokka"), list(2, "of the west"), list(3, "and deep"), list(1, "Zebra")] },
    { type: "list", items: [list(1, "first", true), list(1, "second", true)] },
  ],
  notes: "Speak slowly.",
};

it.each(["pptx", "odp", "ppt"])("writes slides of %s to JSON with titles, levels, tables, code, pictures and notes", async (format) => {
  const given = format === "pptx" ? slides : (await convert(slides, "pptx", format)).bytes;
  const { text, notes } = await convert(given, format, "json");
  const { slides: told } = JSON.parse(text);
  expect(told).toHaveLength(4);
  expect(told[0]).toEqual(animals);
  expect(told[1].blocks).toEqual([
    {
      type: "table",
      rows: [
        ["Animal", "Count"],
        ["Quokka", "42"],
      ],
    },
  ]);
  expect(told[2].blocks).toEqual([
    { type: "paragraph", text: "Call f so:" },
    { type: "code", text: "def f(a):\n    return a" },
  ]);
  expect(told[3].blocks[0]).toMatchObject({ type: "picture" });
  expect(notes).toContain("IMAGES_REMOVED");
});

it("writes an HTML page with a section per slide, links, pictures and notes", async () => {
  const { text, notes } = await convert(slides, "pptx", "html");
  expect(text.match(/<section id="slide-\d"/g)).toHaveLength(4);
  expect(text).toContain('<a href="https://example.org/zebra">Zebra</a>');
  expect(text).toContain("of the <em>west</em>");
  expect(text).toMatch(/<aside class="notes">\s*<blockquote>\s*<p>Speak slowly\./);
  expect(text).toMatch(/<img src="data:image\/png;base64,[A-Za-z0-9+/]+=*" alt="[^"]*square/);
  expect(text).toContain("<pre><code>def f(a):\n    return a</code></pre>");
  expect(notes).toEqual([]);
});

it.each(["pptx", "odp"])("converts each page of a PDF to a slide with editable text (%s)", async (to) => {
  const made = await convert(pdfOf(["Quokka", "Numbat"]), "pdf", to);
  const told = JSON.parse((await convert(made.bytes, to, "json")).text).slides;
  expect(told.map(({ blocks, title }: { blocks: unknown; title: unknown }) => JSON.stringify([title, blocks]))).toEqual([
    expect.stringContaining("Quokka"),
    expect.stringContaining("Numbat"),
  ]);
});

it.each(["html", "pdf"])("notes in %s that sound and video were left out", async (to) => {
  const parts = unzipSync(await readFile("test/corpus/typical/presentation/typical.pptx"));
  const film = Buffer.from(zipSync({ ...parts, "ppt/media/media1.mp4": new Uint8Array(8) }));
  const { messages } = await convert(film, "pptx", to);
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Sound and video were left out.");
});

/** The typical presentation with XML in other parts, put before an end tag or as the whole part. */
async function withParts(changes: Readonly<Record<string, readonly [end: string, added: string]>>): Promise<Buffer> {
  const parts = unzipSync(await readFile("test/corpus/typical/presentation/typical.pptx"));
  const made = Object.entries(changes).map(([place, [end, added]]) => {
    const part = strFromU8(parts[place] ?? new Uint8Array());
    return [place, strToU8(end === "" ? added : part.replace(end, `${added}${end}`))] as const;
  });
  return Buffer.from(zipSync({ ...parts, ...Object.fromEntries(made) }));
}

const shape = (id: number, placeholder: string, text: string) =>
  `<p:sp><p:nvSpPr><p:cNvPr id="${id}" name="Shape ${id}"/><p:cNvSpPr/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="3000000" cy="600000"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></p:spPr><p:txBody><a:bodyPr/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
const leftOut = "Headers, footers and dates of slides were left out.";

it("notes that footers and dates of slides were left out of the text", async () => {
  const date = shape(90, '<p:ph type="dt" sz="half" idx="10"/>', "3 May");
  const dated = await withParts({ "ppt/slides/slide1.xml": ["</p:spTree>", date] });
  expect((await convert(dated, "pptx", "html")).messages.get("TEXT_LEFT_OUT")).toBe(leftOut);
});

it("notes that text of the master was left out, which each slide shows", async () => {
  const common = await withParts({ "ppt/slideMasters/slideMaster1.xml": ["</p:spTree>", shape(95, "", "Internal use only")] });
  const { messages } = await convert(common, "pptx", "html");
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Text that slides have from their master was left out.");
});

it("notes that descriptions of shapes were left out, for which PPT has no place", async () => {
  const described = shape(96, "", "x").replace("/>", ' descr="A map"/>');
  const { messages } = await convert(await withParts({ "ppt/slides/slide1.xml": ["</p:spTree>", described] }), "pptx", "ppt");
  expect(messages.get("TEXT_LEFT_OUT")).toMatch(/^Descriptions /);
});

it("keeps text beside the speaker's notes, and notes that headers of their pages were left out", async () => {
  const parts = unzipSync(slides);
  const [place = "", page = new Uint8Array()] = Object.entries(parts).find(([name]) => /notesSlide1\.xml$/.test(name)) ?? [];
  const more = shape(91, '<p:ph type="hdr" sz="quarter" idx="12"/>', "Top secret") + shape(92, "", "Breathe");
  const noted = Buffer.from(zipSync({ ...parts, [place]: strToU8(strFromU8(page).replace("</p:spTree>", `${more}</p:spTree>`)) }));
  const { text, messages } = await convert(noted, "pptx", "html");
  expect(text.match(/<aside[\s\S]*?<\/aside>/)?.[0]).toContain("Breathe");
  expect(messages.get("TEXT_LEFT_OUT")).toBe(leftOut);
});

const cached = (kind: string, ...values: readonly string[]) =>
  `<c:${kind}Cache><c:ptCount val="${values.length}"/>${values.map((each, index) => `<c:pt idx="${index}"><c:v>${each}</c:v></c:pt>`).join("")}</c:${kind}Cache>`;
const titled = (text: string) => `<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>${text}</a:t></a:r></a:p></c:rich></c:tx></c:title>`;
const axis = (kind: string, id: number, side: string, text: string) =>
  `<c:${kind}><c:axId val="${id}"/><c:scaling/><c:delete val="0"/><c:axPos val="${side}"/>${titled(text)}<c:crossAx val="${3 - id}"/></c:${kind}>`;

async function rowsOfChart(plot: string): Promise<unknown> {
  const chart = `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart>${titled("Leaps")}<c:plotArea>${plot}</c:plotArea></c:chart></c:chartSpace>`;
  const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="93" name="Chart"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm><a:off x="0" y="0"/><a:ext cx="4000000" cy="3000000"/></p:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rChart"/></a:graphicData></a:graphic></p:graphicFrame>`;
  const type = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/chart";
  const charted = await withParts({
    "ppt/slides/slide1.xml": ["</p:spTree>", frame],
    "ppt/charts/chart1.xml": ["", chart],
    "ppt/slides/_rels/slide1.xml.rels": ["</Relationships>", `<Relationship Id="rChart" Type="${type}" Target="../charts/chart1.xml"/>`],
    "[Content_Types].xml": [
      "</Types>",
      '<Override PartName="/ppt/charts/chart1.xml" ContentType="application/vnd.openxmlformats-officedocument.drawingml.chart+xml"/>',
    ],
  });
  const { blocks } = JSON.parse((await convert(charted, "pptx", "json")).text).slides[0];
  return blocks.find(({ caption }: { caption?: string }) => caption === "Leaps: Metres")?.rows;
}

it("keeps the titles of the axes of a chart", async () => {
  const series = `<c:ser><c:idx val="0"/><c:order val="0"/><c:cat><c:strRef><c:f>A2</c:f>${cached("str", "May")}</c:strRef></c:cat><c:val><c:numRef><c:f>B2</c:f>${cached("num", "7")}</c:numRef></c:val></c:ser>`;
  const bars = `<c:barChart><c:barDir val="col"/>${series}<c:axId val="1"/><c:axId val="2"/></c:barChart>`;
  expect(await rowsOfChart(`${bars}${axis("catAx", 1, "b", "Month")}${axis("valAx", 2, "l", "Metres")}`)).toMatchObject([
    ["Month", expect.any(String)],
    ["May", "7"],
  ]);
});

it("keeps the numbers of a chart of points", async () => {
  const numbers = (place: string, ...values: readonly string[]) =>
    `<c:${place}><c:numRef><c:f>${place}</c:f>${cached("num", ...values)}</c:numRef></c:${place}>`;
  const name = `<c:tx><c:strRef><c:f>A1</c:f>${cached("str", "Height")}</c:strRef></c:tx>`;
  const series = `<c:ser><c:idx val="0"/><c:order val="0"/>${name}${numbers("xVal", "0.7", "1.8")}${numbers("yVal", "2.5", "3.5")}</c:ser>`;
  const points = `<c:scatterChart><c:scatterStyle val="lineMarker"/>${series}<c:axId val="1"/><c:axId val="2"/></c:scatterChart>`;
  const rows = await rowsOfChart(`${points}${axis("valAx", 1, "b", "Width")}${axis("valAx", 2, "l", "Metres")}`);
  expect(rows).toMatchObject([
    ["Width", "Height", "X"],
    ["", "2.5", "0.7"],
    ["", "3.5", "1.8"],
  ]);
});

it("notes that the speaker's notes are not in the PDF", async () => {
  expect((await convert(slides, "pptx", "pdf")).messages.get("TEXT_LEFT_OUT")).toBe("The speaker's notes were left out.");
});

it("notes that a diagram without a drawing, which the office cannot lay out, was left out", async () => {
  const parts = unzipSync(await readFile("test/corpus/typical/presentation/typical.pptx"));
  const [slide, links] = ["ppt/slides/slide1.xml", "ppt/slides/_rels/slide1.xml.rels"];
  const office = "http://schemas.openxmlformats.org";
  const uses = ["dm", "lo", "qs", "cs"].map((kind) => ` r:${kind}="rIdDiagram${kind}"`).join("");
  const frame = `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="91" name="Diagram"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>
    <p:xfrm><a:off x="0" y="0"/><a:ext cx="5000000" cy="3000000"/></p:xfrm><a:graphic><a:graphicData uri="${office}/drawingml/2006/diagram">
    <dgm:relIds xmlns:dgm="${office}/drawingml/2006/diagram" xmlns:r="${office}/officeDocument/2006/relationships"${uses}/></a:graphicData></a:graphic></p:graphicFrame>`;
  const data = `<dgm:dataModel xmlns:dgm="${office}/drawingml/2006/diagram" xmlns:a="${office}/drawingml/2006/main"><dgm:ptLst>
    <dgm:pt modelId="1" type="doc"/><dgm:pt modelId="2"><dgm:t><a:bodyPr/><a:p><a:r><a:t>Plan, do, check</a:t></a:r></a:p></dgm:t></dgm:pt>
    </dgm:ptLst><dgm:cxnLst><dgm:cxn modelId="3" srcId="1" destId="2" srcOrd="0" destOrd="0"/></dgm:cxnLst></dgm:dataModel>`;
  const kinds = { dm: "diagramData", lo: "diagramLayout", qs: "diagramQuickStyle", cs: "diagramColors" };
  const relations = Object.entries(kinds).map(
    ([id, kind]) =>
      `<Relationship Id="rIdDiagram${id}" Type="${office}/officeDocument/2006/relationships/${kind}" Target="../diagrams/${id === "dm" ? "data1" : id}.xml"/>`,
  );
  const added = (place: string, end: string, more: string) => strToU8(strFromU8(parts[place] ?? new Uint8Array()).replace(end, more + end));
  const changed = {
    [slide]: added(slide, "</p:spTree>", frame),
    [links]: added(links, "</Relationships>", relations.join("")),
    "ppt/diagrams/data1.xml": strToU8(data),
  };
  const { messages } = await convert(Buffer.from(zipSync({ ...parts, ...changed })), "pptx", "html");
  expect(messages.get("TEXT_LEFT_OUT")).toBe("Text of diagrams (SmartArt) was left out.");
});

it("text that looks like the field of a slide's number is kept, and a field in it shows the number", async () => {
  const spaces = "urn:oasis:names:tc:opendocument:xmlns";
  const names = ["office", "text"].map((name) => `xmlns:${name}="${spaces}:${name}:1.0"`).join(" ");
  const box = (said: string) => `<draw:frame><draw:text-box><text:p>${said}</text:p></draw:text-box></draw:frame>`;
  const boxes = ["Use", "&lt;number&gt;", "<text:page-number/>", "Page <text:page-number/>"].map(box).join("");
  const given = `<office:document ${names} xmlns:draw="${spaces}:drawing:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.presentation"><office:body><office:presentation><draw:page>${boxes}</draw:page></office:presentation></office:body></office:document>`;
  const { text } = await convert(given, "fodp", "json");
  const [slide] = JSON.parse(text).slides;
  expect(slide.blocks.map((block: { text: string }) => block.text)).toEqual(["Use", "<number>", "Page 1"]);
});
