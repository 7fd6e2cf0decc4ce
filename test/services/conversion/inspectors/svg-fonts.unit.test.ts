import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { needsOthers, undrawnIn } from "#services/conversion/engines/pictures/svg-undrawn.mjs";
import { comparableFamily, familiesMissing, missingFontsOf } from "#services/conversion/inspectors/inside/svg-fonts.ts";

const here = new Set(["DejaVu Sans", "Noto Sans CJK JP"].map(comparableFamily));
const drawing = (inside: string) => familiesMissing(`<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`, here);

it.each([
  ['<text font-family="Quokka Grotesk">A</text>', ["Quokka Grotesk"]],
  ["<text font-family='\"Quokka Grotesk\", serif'>A</text>", ["Quokka Grotesk"]],
  ['<text style="fill:red;font-family:\'Quokka Grotesk\',sans-serif" x="1">A</text>', ["Quokka Grotesk"]],
  ['<text style="font-family:Quokka" fill="red">A</text>', ["Quokka"]],
  ['<style>text { font-family: "Quokka Grotesk", Numbat; } b { font-family: Zebra }</style><text>A</text>', ["Quokka Grotesk", "Zebra"]],
  ['<svg:text font-family="Arial">A</svg:text><svg:text font-family="Arial">B</svg:text>', ["Arial"]],
])("finds missing fonts in %s", (inside, missing) => {
  expect(drawing(inside)).toEqual(missing);
});

it.each([
  '<text font-family="DejaVu Sans">A</text>',
  "<text font-family=\"Quokka, 'dejavu sans'\">A</text>",
  '<text font-family="sans-serif">A</text>',
  '<text style="font-family:&quot;DejaVu Sans&quot;">A</text>',
  '<g font-family="Quokka"><path d="M0 0"/></g>',
  "<text>A</text>",
])("finds no missing font in %s", (inside) => {
  expect(drawing(inside)).toEqual([]);
});

it.each([
  ["<svg:foreignObject/><text><textPath href='#a'>", "Not drawn: HTML (foreignObject), text on paths (textPath).", "", ""],
  ["<image xlink:href='data:image/webp;base64,AA'/><image href='data:image/png;base64,AA'/>", "", "Embedded pictures not drawn: webp.", ""],
  ['<g style="transform-origin: 1px 2px"/><text textLength="9">', "", "", "Ignored: transform-origin, textLength."],
  ['<text x="1" y="2"><tspan dy="0" x="1 2,3">A', "", "", "Ignored: places of single letters."],
  ['<text systemLanguage="de">', "Not drawn: parts for some languages (systemLanguage).", "", ""],
  ['<symbol style="opacity:.5"><image href="#" width="2"/>', "", "", "Ignored: opacity of symbols, width of pictures without a height."],
  ['<symbol opacity="1"/><g opacity=".5"/><image width="2" href="#" height="3"/><image/>', "", "", ""],
  ['<rect x="1 2"/><text x="1 " style="x:1 2"><svg style="enable-background:new; background:none"/>', "", "", ""],
  ['<svg width="1" style="color:red;background-color: #fff">', "", "", "Ignored: background of the page."],
  ["<text>A foreignObject and a textPath</text>", "", "", ""],
  ['<switch><foreignObject requiredExtensions="&ns_ai;" x="0"/><g/></switch>', "", "", ""],
  ['<switch><foreignObject requiredExtensions="http://www.w3.org/1999/xhtml"/></switch>', "Not drawn: HTML (foreignObject).", "", ""],
])("%s was drawn otherwise without a note", (inside, left, pictures, ignored) => {
  const expected = { TEXT_LEFT_OUT: left, IMAGES_REMOVED: pictures, STYLING_DROPPED: ignored };
  expect(undrawnIn(`<svg>${inside}</svg>`, ["gif", "webp"])).toEqual(expected);
});

it("names pictures of another kind than stated, for an engine that does not draw them", () => {
  const kind = "of another kind than stated";
  const removed = (uri: string) => undrawnIn(`<image href="${uri}"/>`, [kind]).IMAGES_REMOVED;
  expect(removed("data:image/png;base64,/9j/4AAQ")).toBe(`Embedded pictures not drawn: ${kind}.`);
  expect(removed("data:image/jpeg;base64,/9j/4AAQ") + removed("data:image/png;base64,\niVBORw0KGgo")).toBe("");
});

it.each([
  ['<image href="photo.png"/>', true],
  ["<svg:use xlink:href = 'a.svg#b'/>", true],
  ['<rect style="fill:url( a.svg#b )"/>', true],
  ["<style>@import 'a.css'</style>", true],
  ['<?xml-stylesheet href="a.css"?>', true],
  ['<a href="https://example.org/"><image href="data:image/png;base64,AA"/></a>', false],
  ["<rect fill='url(\"#a\")' stroke='url(#b)'/><use xlink:href='#c'/>", false],
])("whether %s needs other files is known (%s)", (inside, needed) => {
  expect(needsOthers(`<svg>${inside}</svg>`)).toBe(needed);
});

const sourceOf = (head: Buffer) => ({
  ...{ sizeBytes: head.length, head },
  read: async (offset: number, length: number) => head.subarray(offset, offset + length),
});

it("reads a compressed drawing that other bytes follow or that is truncated", async () => {
  const whole = gzipSync(`<svg><text font-family="Quokka"/>${"<rect/>".repeat(20_000)}</svg>`);
  for (const odd of [Buffer.concat([whole, Buffer.from("garbage")]), whole.subarray(0, -9)])
    await expect(missingFontsOf(sourceOf(odd), ["Arial"], [])).resolves.toHaveProperty("needsOthers", false);
});

it.each([0, 9_000_000])("looks into a compressed drawing, but only at its start (%i)", async (blanks) => {
  const head = gzipSync(`<svg><text font-family="Quokka"><textPath/></text>${" ".repeat(blanks)}<foreignObject/></svg>`);
  const file = sourceOf(head);
  const { families, undrawn } = await missingFontsOf(file, ["Arial"], ["webp", "avif"]);
  expect(families).toEqual(["Quokka"]);
  expect(undrawn.TEXT_LEFT_OUT).toBe(`Not drawn: ${blanks > 0 ? "" : "HTML (foreignObject), "}text on paths (textPath).`);
});

it("takes linear time for hostile markup", () => {
  for (const odd of [
    "font-family:",
    "font-family='",
    'font-family:,  "',
    "<text ",
    '<text x="1 ',
    '<svg style=";',
    "<symbol ",
    "<image width=",
    "font-family : 'a'",
    "<foreignObject requiredExtensions ",
  ]) {
    undrawnIn(odd.repeat(100_000), ["gif"]);
    needsOthers(odd.repeat(100_000));
    expect(drawing(`<text/>${odd.repeat(100_000)}`).length).toBeLessThan(10);
  }
});
