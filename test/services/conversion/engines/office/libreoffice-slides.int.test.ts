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

it("notes that footers and dates of slides were left out of the text", async () => {
  const parts = unzipSync(await readFile("test/corpus/typical/presentation/typical.pptx"));
  const place = "ppt/slides/slide1.xml";
  const date =
    '<p:sp><p:nvSpPr><p:cNvPr id="90" name="Date"/><p:cNvSpPr/><p:nvPr><p:ph type="dt" sz="half" idx="10"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>3 May</a:t></a:r></a:p></p:txBody></p:sp>';
  const slide = strFromU8(parts[place] ?? new Uint8Array()).replace("</p:spTree>", `${date}</p:spTree>`);
  const dated = Buffer.from(zipSync({ ...parts, [place]: strToU8(slide) }));
  expect((await convert(dated, "pptx", "html")).messages.get("TEXT_LEFT_OUT")).toBe("Footers and dates of slides were left out.");
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
