/**
 * Classes OF1 to OF4 and SW1 to SW3: files rewritten in their format that
 * exhaust memory or time, or reach other files, when a part is rewritten.
 */
import { zipFile } from "#test/harness/zip-file.ts";
import type { Attack } from "./attack.ts";
import { docx, linkedPicture, odf, paragraph, relation, xml } from "./office-files.ts";
import { png } from "./picture-files.ts";

const media = (content: Buffer) => ({
  links: relation("rIdA", "image", "media/a.png"),
  extra: [{ name: "word/media/a.png", content }],
});
const shown = linkedPicture("rIdA").replace("r:link", "r:embed");
const entities = Array.from({ length: 10 }, (_, level) => `<!ENTITY l${level} "${level === 0 ? "lol" : `&l${level - 1};`.repeat(10)}">`);

const officeRows: readonly Omit<Attack, "engine">[] = [
  {
    id: "OF1-pixels",
    what: "a picture of a gigapixel in a letter that is to become smaller",
    fileName: "a.docx",
    content: () => docx(paragraph("a") + shown, media(png({ width: 32_000, height: 32_000, rows: 100 }))),
    to: ["docx"],
    query: "optimise=screen",
    outcome: "converts",
  },
  {
    id: "OF1-outside",
    what: "relationships that leave the package, to be renamed and dropped",
    fileName: "a.docx",
    content: ({ secretPicture, url }) =>
      docx(paragraph("a") + shown, {
        links: relation("rIdA", "image", `../../../../..${secretPicture}`) + relation("rIdB", "image", `${url}/a.png`, true),
      }),
    to: ["docx"],
    query: "optimise=screen&metadata=strip&comments=strip",
    outcome: "converts",
  },
  {
    id: "OF2-circle",
    what: "comments that are each other's comments",
    fileName: "a.docx",
    content: () => {
      const part = (name: string, other: string) => [
        { name: `word/${name}.xml`, content: `${xml}<a/>` },
        {
          name: `word/_rels/${name}.xml.rels`,
          content: `${xml}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relation("r", "comments", `${other}.xml`)}</Relationships>`,
        },
      ];
      return docx(paragraph("a"), {
        links: relation("rIdC", "comments", "one.xml"),
        extra: [...part("one", "two"), ...part("two", "one")],
      });
    },
    to: ["docx"],
    query: "comments=strip",
    outcome: "converts",
  },
  {
    id: "OF3-entities",
    what: "entities that expand to a billion in a note of a letter that is to be repaired",
    fileName: "a.odt",
    content: () =>
      odf("text", "<text:p>a</text:p>", {
        extra: [{ name: "Object 1/content.xml", content: `<?xml version="1.0"?><!DOCTYPE d [${entities.join("")}]><a>&l9;` }],
      }),
    to: ["odt"],
    query: "comments=strip",
    outcome: "INPUT_TOO_COMPLEX",
    isEarly: true,
  },
  {
    id: "OF4-depth",
    what: "elements inside each other, 200,000 deep and never closed",
    fileName: "a.docx",
    content: () => docx("<w:p>".repeat(200_000)),
    to: ["docx"],
    query: "comments=strip",
    outcome: "is bounded",
  },
  {
    id: "OF4-twins",
    what: "two parts of one name",
    fileName: "a.docx",
    content: () => docx(paragraph("a"), { extra: [{ name: "word/document.xml", content: `${xml}<w:document/>` }] }),
    to: ["docx"],
    outcome: "is bounded",
  },
  {
    id: "OF4-empty",
    what: "a package that says what it is and has no more",
    fileName: "a.docx",
    content: () => zipFile([{ name: "[Content_Types].xml", content: "<Types/>" }]),
    to: ["docx"],
    query: "from=docx",
    outcome: "INVALID_INPUT",
  },
];

const svg = (inner: string) => `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${inner}</svg>`;
const svgRow = (id: string, what: string, content: Attack["content"], outcome: Attack["outcome"], query = ""): Omit<Attack, "engine"> => ({
  ...{ id, what, fileName: "a.svg", content, to: ["svg"], outcome },
  ...(query === "" ? {} : { query }),
});
const svgRows: readonly Omit<Attack, "engine">[] = [
  svgRow(
    "SW1-depth",
    "groups inside each other, 100,000 deep",
    () => svg("<g>".repeat(100_000) + "</g>".repeat(100_000)),
    "INPUT_TOO_COMPLEX",
  ),
  svgRow("SW1-path", "a path of two million numbers", () => svg(`<path d="M${"1.0001 2 ".repeat(1_000_000)}"/>`), "is bounded"),
  svgRow(
    "SW2-files",
    "pictures, styles and scripts of the host and the network, to be taken out",
    ({ url, secretPicture, secretFile }) =>
      svg(
        `<style>@import url("${url}/a.css");</style><image href="file://${secretPicture}"/><image xlink:href="${url}/a.png"/><script href="file://${secretFile}"/><rect width="9" height="9"/>`,
      ),
    "converts",
    "external=strip&scripts=strip&metadata=strip",
  ),
  svgRow(
    "SW3-styles",
    "styles that a hundred thousand brackets begin",
    () => svg(`<style>${"a{b:url(".repeat(100_000)}</style>`),
    "is bounded",
    "external=strip",
  ),
];

export const ownFormatAttacks: readonly Attack[] = [
  ...officeRows.map((row) => ({ ...row, engine: "office-change" as const })),
  ...svgRows.map((row) => ({ ...row, engine: "svgo" as const })),
];
