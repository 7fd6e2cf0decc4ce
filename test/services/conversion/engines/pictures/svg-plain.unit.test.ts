import { expect, it } from "vitest";
import { plainSvg } from "#services/conversion/engines/pictures/svg-plain.mjs";

const plain = (svg: string | Buffer) => plainSvg(Buffer.from(svg)).toString();

it.each([
  ['<svg width="25.4mm" height="1in">', '<svg width="96px" height="96px">'],
  ['<svg width="50.79999999999999mm">', '<svg width="192px">'],
  ['<text font-size="12pt" x="1pc,.5in">12pt</text>', '<text font-size="16px" x="16px,48px">12pt</text>'],
  ["<text style='font:bold 9pt/2 a;x:2px'/>", "<text style='font:bold 12px/2 a;x:2px'/>"],
  ["<style>.a{font-size:-1.5e1pt}</style> 1pt ", "<style>.a{font-size:-20px}</style> 1pt "],
  ['<use x="2in" id="a1in" href="#1in"/>', '<use x="192px" id="a1in" href="#1in"/>'],
])("a length drifted from those in px with the resolution: %s", (svg, expected) => {
  expect(plain(svg)).toBe(expected);
});

it("a drawing that is not in UTF-8 was called damaged", () => {
  const wide = Buffer.from('\ufeff<?xml version="1.0" encoding="UTF-16"?><svg>Ä</svg>', "utf16le");
  expect(plain(wide)).toBe("<svg>Ä</svg>");
  const narrow = Buffer.from('<?xml version="1.0" encoding="windows-1252"?><svg>\x80\xc4</svg>', "latin1");
  expect(plain(narrow)).toBe("<svg>€Ä</svg>");
  expect(plain('<?xml version="1.0" encoding="utf-16"?><svg>Ä</svg>')).toBe("<svg>Ä</svg>");
});

it("text in a fantasy font became ornaments", () => {
  expect(plain("<text font-family='Impact, fantasy'>fantasy</text>")).toBe("<text font-family='Impact, serif'>fantasy</text>");
  expect(plain('<style>text{font-family:"Fantasy One",fantasy;x:y}</style>')).toContain(':"Fantasy One",serif;');
});

it("embedded pictures of another kind than stated vanished", () => {
  expect(plain('<image href="data:image/png;base64,/9j/4A"/>')).toBe('<image href="data:;base64,/9j/4A"/>');
  expect(plain('<image href="data:image/gif;base64, iVBORw0KGgo"/>')).toBe('<image href="data:;base64, iVBORw0KGgo"/>');
  const right = '<image href="data:image/jpeg;base64,/9j/"/><image href="data:image/png;base64,iVBORw0KGgo"/>';
  expect(plain(right)).toBe(right);
});

it.each(['<?xml encoding="quokka"?><svg/>', Buffer.from("<svg>\xc4</svg>", "latin1")])("leaves what it cannot decode", (svg) => {
  expect(plainSvg(Buffer.from(svg))).toEqual(Buffer.from(svg));
});

it("takes linear time for hostile markup", () => {
  for (const odd of ["<style>", "<a", '="1', "<?xml ", "1111", "<style><![CDATA[", "font-family:,"]) plain(`<a ${odd.repeat(200_000)}`);
});
