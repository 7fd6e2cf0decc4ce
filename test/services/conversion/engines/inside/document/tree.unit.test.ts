import { expect, test } from "vitest";
import { treeOf } from "#services/conversion/engines/inside/document/tree.ts";

const str = (c: string) => ({ t: "Str", c });
const plain = (c: string) => [{ t: "Plain", c: [str(c)] }];
const attributes = ["", [], []];
const told = (...blocks: object[]) => treeOf({ blocks, meta: {} }).tree.blocks;
const paragraph = (text: string) => ({ type: "paragraph", text: [{ text }] });

test("writes headings and paragraphs with one run per look", () => {
  const space = { t: "Space" };
  expect(
    told(
      { t: "Header", c: [2, attributes, [str("One"), space, { t: "Emph", c: [str("two")] }]] },
      {
        t: "Para",
        c: [str("a"), space, { t: "Strong", c: [{ t: "Link", c: [attributes, [str("b"), space, str("c")], ["https://d", ""]] }] }],
      },
      {
        t: "Para",
        c: [
          { t: "Code", c: [attributes, "x"] },
          { t: "LineBreak" },
          { t: "Superscript", c: [str("2")] },
          { t: "Quoted", c: [{ t: "DoubleQuote" }, [str("q")]] },
        ],
      },
    ),
  ).toEqual([
    { type: "heading", level: 2, text: [{ text: "One " }, { text: "two", italic: true }] },
    { type: "paragraph", text: [{ text: "a " }, { text: "b c", bold: true, link: "https://d" }] },
    { type: "paragraph", text: [{ text: "x", code: true }, { text: "\n" }, { text: "2", raised: true }, { text: "“q”" }] },
  ]);
});

test("writes lists, quotes, code, footnotes and definitions", () => {
  const note = { t: "Note", c: [{ t: "Para", c: [str("below")] }] };
  expect(
    told(
      {
        t: "OrderedList",
        c: [
          [3, { t: "Decimal" }, { t: "Period" }],
          [plain("three"), [...plain("four"), { t: "BulletList", c: [plain("deep")] }]],
        ],
      },
      { t: "BlockQuote", c: plain("said") },
      { t: "CodeBlock", c: [attributes, "if\n  x"] },
      { t: "Para", c: [str("noted"), note] },
      { t: "DefinitionList", c: [[[str("term")], [plain("meaning")]]] },
      { t: "Div", c: [attributes, plain("inside")] },
    ),
  ).toEqual([
    { type: "list", start: 3, items: [[paragraph("three")], [paragraph("four"), { type: "list", items: [[paragraph("deep")]] }]] },
    { type: "quote", blocks: [paragraph("said")] },
    { type: "code", code: "if\n  x" },
    { type: "paragraph", text: [{ text: "noted" }, { text: "", note: [paragraph("below")] }] },
    { type: "list", items: [[paragraph("term"), paragraph("meaning")]] },
    paragraph("inside"),
  ]);
});

test("writes tables with their heads, spans and captions", () => {
  const cell = (text: string, rows = 1, columns = 1) => [attributes, { t: "AlignDefault" }, rows, columns, plain(text)];
  const row = (...cells: unknown[]) => [attributes, cells];
  const table = [
    ...[attributes, [null, plain("Above")], []],
    [attributes, [row(cell("wide", 1, 2))]],
    [[attributes, 1, [], [row(cell("side"), cell("tall", 2)), row(cell("next"))]]],
    [attributes, [row(cell("sum"), cell("9"))]],
  ];
  expect(told({ t: "Table", c: table })).toEqual([
    paragraph("Above"),
    {
      type: "table",
      rows: [
        [{ head: true, columns: 2, blocks: [paragraph("wide")] }],
        [
          { head: true, blocks: [paragraph("side")] },
          { rows: 2, blocks: [paragraph("tall")] },
        ],
        [{ head: true, blocks: [paragraph("next")] }],
        [{ blocks: [paragraph("sum")] }, { blocks: [paragraph("9")] }],
      ],
    },
  ]);
});

test("writes the position and description of pictures, and the document's title and language", () => {
  const image = { t: "Image", c: [attributes, [str("a"), { t: "Space" }, str("quokka")], ["data:image/png;base64,AA==", ""]] };
  const meta = { title: { t: "MetaInlines", c: [str("Animals")] }, lang: { t: "MetaString", c: "en-GB" } };
  const blocks = [
    { t: "Para", c: [str("See"), { t: "Space" }, image] },
    { t: "Para", c: [image] },
  ];
  const picture = { type: "picture", description: "a quokka" };
  expect(treeOf({ blocks, meta })).toEqual({
    tree: { title: "Animals", language: "en-GB", pages: [], blocks: [paragraph("See"), picture, picture] },
    pictures: 2,
  });
});

test("rejects input that is not a tree", () => {
  expect(() => treeOf({})).toThrow("The document is damaged.");
});
