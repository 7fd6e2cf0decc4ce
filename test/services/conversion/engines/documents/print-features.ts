/** What people expect of a printed web page, and what another program must find in the result. */
import { globSync, readFileSync } from "node:fs";
import type { Printed } from "./printed.ts";

export type Feature = {
  readonly name: string;
  /** Content of head and body; an A4 page without margins unless it says otherwise. */
  readonly page: string;
  holds(printed: Printed): Promise<boolean> | boolean;
};

const [monospaced = ""] = globSync("/usr/share/fonts/truetype/liberation*/LiberationMono-Regular.ttf");
const typeface = `url(data:font/ttf;base64,${readFileSync(monospaced).toString("base64")})`;
const redPicture =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='40' height='20'%3E%3Crect width='20' height='20' fill='red'/%3E%3Crect x='20' width='20' height='20' fill='blue'/%3E%3C/svg%3E";

const near = (value: number, wanted: number, by = 2): boolean => Math.abs(value - wanted) <= by;
/** CSS pixels in points. */
const px = (value: number): number => value * 0.75;
const isRed = ([red = 0, green = 255, blue = 255]: readonly number[]): boolean => red > 200 && green < 60 && blue < 60;
const isBlue = ([red = 255, green = 255, blue = 0]: readonly number[]): boolean => red < 60 && green < 60 && blue > 200;
const isWhite = (pixel: readonly number[]): boolean => pixel.every((value) => value > 250);
const isDark = (pixel: readonly number[]): boolean => pixel.every((value) => value < 60);
const size = ([width, height]: readonly number[] = [], wanted: readonly [number, number]): boolean =>
  near(width ?? 0, wanted[0]) && near(height ?? 0, wanted[1]);
const rows = (count: number): string => Array.from({ length: count }, (_, row) => `<tr><td>row${row}`).join("");
const box = (style: string): string =>
  `<div style="position: absolute; left: 100px; top: 100px; width: 200px; height: 200px; ${style}"></div>`;
/** The middle of the box. */
const middle = [px(200), px(200)] as const;

const layout: readonly Feature[] = [
  {
    name: "flex: room between, order reversed",
    page: "<div style='display: flex; flex-direction: row-reverse; justify-content: space-between'><b>one</b><b>two</b><b>three</b></div>",
    holds: ({ word }) => word("three").left < 2 && near(word("one").right, 595) && near(word("one").top, word("two").top, 1),
  },
  {
    name: "flex: grows and centres",
    page: "<div style='display: flex; height: 400px; align-items: center'><b>one</b><i style='flex: 1; text-align: right'>two</i></div>",
    holds: ({ word }) => near(word("two").right, 595) && near((word("one").top + word("one").bottom) / 2, px(200), 4),
  },
  {
    name: "grid: named areas",
    page: "<div style='display: grid; grid: \"head head\" 60px \"side main\" 200px / 150px 1fr'><b style='grid-area: main'>main</b><b style='grid-area: side'>side</b><b style='grid-area: head'>head</b></div>",
    holds: ({ word }) => near(word("main").left, px(150)) && near(word("main").top, word("side").top, 1) && word("head").bottom < px(61),
  },
  {
    name: "grid: subgrid",
    page: "<div style='display: grid; grid-template-columns: 100px 200px'><div style='display: grid; grid-column: 1 / 3; grid-template-columns: subgrid'><b>one</b><b>two</b></div></div>",
    holds: ({ word }) => near(word("two").left, px(100)) && near(word("two").top, word("one").top, 1),
  },
  {
    name: "columns: text in two",
    page: "<div style='columns: 2; column-gap: 0'><p style='margin: 0'>left<p style='margin: 0; break-before: column'>right</div>",
    holds: ({ word }) => near(word("right").left, 595 / 2, 4) && near(word("right").top, word("left").top, 1),
  },
  {
    name: "position: absolute, from the right",
    page: "<b style='position: absolute; right: 0; top: 300px'>there</b>",
    holds: ({ word }) => near(word("there").right, 595) && near(word("there").top, px(300), 6),
  },
  {
    name: "float with text beside it",
    page: "<div style='float: left; width: 200px; height: 100px'>float</div><p style='margin: 0'>beside",
    holds: ({ word }) => near(word("beside").left, px(200)) && near(word("beside").top, word("float").top, 2),
  },
  {
    name: "calc() and variables",
    page: "<p style='--wide: 100px; margin-left: calc(var(--wide) * 3 + 10px)'>there",
    holds: ({ word }) => near(word("there").left, px(310)),
  },
  {
    name: "container queries",
    page: "<style>div { container-type: inline-size; width: 300px } @container (max-width: 400px) { p { margin-left: 100px } }</style><div><p>there</div>",
    holds: ({ word }) => near(word("there").left, px(100)),
  },
  {
    name: "vertical writing",
    page: "<p style='writing-mode: vertical-rl'>downwards",
    holds: ({ word }) => word("downwards").bottom - word("downwards").top > 2 * (word("downwards").right - word("downwards").left),
  },
];

const pages: readonly Feature[] = [
  { name: "@page: size", page: "<style>@page { size: 100mm 50mm }</style>a", holds: ({ sizes }) => size(sizes[0], [283.5, 141.7]) },
  {
    name: "@page: margins",
    page: "<style>@page { margin: 40mm 0 0 30mm }</style>there",
    holds: ({ word }) => near(word("there").left, 85) && near(word("there").top, 113, 6),
  },
  {
    name: "@page :first",
    page: "<style>@page :first { margin-left: 50mm }</style>one<p style='break-before: page'>two",
    holds: ({ word }) => near(word("one").left, 141.7) && near(word("two", 2).left, 0),
  },
  {
    name: "named pages, one lying",
    page: "<style>@page wide { size: A4 landscape } .wide { page: wide }</style>one<p class=wide>two",
    holds: ({ sizes, word }) => size(sizes[0], [595, 842]) && size(sizes[1], [842, 595]) && word("two").page === 2,
  },
  {
    name: "margin boxes",
    page: "<style>@page { margin: 30mm; @top-right { content: 'above' } @bottom-left { content: 'below' } }</style>a",
    holds: ({ word }) => word("above").bottom < 85 && word("above").left > 400 && word("below").top > 757 && near(word("below").left, 85),
  },
  {
    name: "page numbers in margin boxes",
    page: "<style>@page { margin: 30mm; @bottom-center { content: 'p' counter(page) 'of' counter(pages) } }</style>one<p style='break-before: page'>two",
    holds: ({ word }) => word("p2of2").page === 2 && word("p1of2").page === 1,
  },
  { name: "break-before", page: "one<p style='break-before: page'>two", holds: ({ word }) => word("two").page === 2 },
  {
    name: "break-inside: avoid",
    page: "<p style='height: 1000px; margin: 0'>one<div style='break-inside: avoid'><p style='height: 100px; margin: 0'>two<p style='height: 100px'>three</div>",
    holds: ({ word }) => word("two").page === 2,
  },
  {
    name: "widows and orphans",
    page: `<div style='height: 1080px'>one</div><p style='margin: 0; line-height: 20px; widows: 4; orphans: 1'>${["l1", "l2", "l3", "l4", "l5"].join("<br>")}`,
    holds: ({ word }) => word("l1").page === 1 && word("l2").page === 2,
  },
  {
    name: "table heads on each page",
    page: `<table><thead><tr><th>heading<tbody>${rows(120)}</table>`,
    holds: ({ count, sizes }) => sizes.length > 1 && count("heading") === sizes.length,
  },
  {
    name: "table feet on each page",
    page: `<table><tfoot><tr><th>footing<tbody>${rows(120)}</table>`,
    holds: ({ count, sizes }) => sizes.length > 1 && count("footing") === sizes.length,
  },
  {
    name: "what is fixed is on each page",
    page: "<b style='position: fixed; top: 0; right: 0'>running</b>one<p style='break-before: page'>two",
    holds: ({ count, word }) => count("running") === 2 && near(word("running", 2).right, 595),
  },
  {
    name: "running heads of the text (string-set)",
    page: "<style>h1 { string-set: title content() } @page { margin: 30mm; @top-left { content: string(title) } }</style><h1>chapter</h1>",
    holds: ({ count }) => count("chapter") === 2,
  },
  {
    name: "page numbers of others (target-counter)",
    page: "<style>a::after { content: 'on' target-counter(attr(href), page) }</style><a href='#b'>b</a><p id=b style='break-before: page'>b",
    holds: ({ text }) => /bon2/.test(text),
  },
  { name: "footnotes", page: "<p>text<span style='float: footnote'>note</span>", holds: ({ word }) => word("note").top > 700 },
];

const looks: readonly Feature[] = [
  {
    name: "dark background to the edge",
    page: "<style>html { background: #123 }</style><p style='color: white'>a",
    holds: async ({ pixel }) => isDark(await pixel(590, 838)),
  },
  {
    name: "gradient",
    page: box("background: linear-gradient(90deg, red 40%, blue 60%)"),
    holds: async ({ pixel }) => isRed(await pixel(px(120), middle[1])) && isBlue(await pixel(px(280), middle[1])),
  },
  {
    name: "rounded corners",
    page: box("background: red; border-radius: 100px"),
    holds: async ({ pixel }) => isRed(await pixel(...middle)) && isWhite(await pixel(px(108), px(108))),
  },
  {
    name: "opacity",
    page: box("background: red; opacity: .5"),
    holds: async ({ pixel }) => {
      const [red = 0, green = 0] = await pixel(...middle);
      return red > 250 && near(green, 127, 6);
    },
  },
  {
    name: "shadow",
    page: box("background: white; box-shadow: 20px 20px 0 red"),
    holds: async ({ pixel }) => isRed(await pixel(px(310), px(310))) && isWhite(await pixel(...middle)),
  },
  {
    name: "clip-path",
    page: box("background: red; clip-path: circle(40%)"),
    holds: async ({ pixel }) => isRed(await pixel(...middle)) && isWhite(await pixel(px(115), px(115))),
  },
  {
    name: "blending",
    page: box("background: red") + box("background: lime; mix-blend-mode: difference"),
    holds: async ({ pixel }) => String(await pixel(...middle)) === "255,255,0",
  },
  {
    name: "filter: hue",
    page: box("background: red; filter: hue-rotate(180deg)"),
    holds: async ({ pixel }) => {
      const [red = 255, green = 0] = await pixel(...middle);
      return red < 20 && green > 60;
    },
  },
  {
    name: "colours by oklch() and color-mix()",
    page: box("background: color-mix(in srgb, red, blue)"),
    holds: async ({ pixel }) => near((await pixel(...middle))[0] ?? 0, 128, 3),
  },
  {
    name: "pictures that cover their place",
    page: `<img src="${redPicture}" style="position: absolute; left: 100px; top: 100px; width: 200px; height: 200px; object-fit: cover">`,
    holds: async ({ pixel }) => isRed(await pixel(px(110), px(110))) && isBlue(await pixel(px(290), px(290))),
  },
  {
    name: "drawings within the page",
    page: "<svg style='position: absolute; left: 100px; top: 100px' width=200 height=200><circle cx=100 cy=100 r=90 fill=red /><text x=40 y=190>within</text></svg>",
    holds: async ({ pixel, word }) => isRed(await pixel(...middle)) && near(word("within").left, px(140), 3),
  },
  {
    name: "transform: turned",
    page: "<p style='position: absolute; left: 200px; top: 200px; transform: rotate(90deg)'>sideways",
    holds: ({ word }) => word("sideways").bottom - word("sideways").top > 2 * (word("sideways").right - word("sideways").left),
  },
  {
    name: "transform: moved and larger",
    page: "<b style='position: absolute; left: 0; top: 0; transform-origin: 0 0; transform: translate(200px, 100px) scale(3)'>large</b>",
    holds: ({ word }) => near(word("large").left, px(200)) && word("large").bottom - word("large").top > 30,
  },
];

const texts: readonly Feature[] = [
  {
    name: "web font in a data URL",
    page: `<style>@font-face { font-family: own; src: ${typeface} } p { font-family: own }</style><p>typeface`,
    holds: ({ fonts }) => /LiberationMono/.test(fonts),
  },
  {
    name: "ligatures, read as letters",
    page: "<p style='font: 40px DejaVu Sans'>fiord<p style='font: 40px DejaVu Sans; font-variant-ligatures: none'>fiord fjord",
    holds: ({ count, word, fonts }) => count("fiord") === 2 && word("fjord").right > 0 && /DejaVu/.test(fonts),
  },
  {
    name: "right to left",
    page: "<p dir=rtl style='margin: 0'>שלום <bdo dir=ltr>one</bdo> עולם",
    // Boxes report characters in visual order, the text in reading order.
    holds: ({ word, text }) => near(word("םולש").right, 595) && word("one").left < word("םולש").left && text.includes("עולם"),
  },
  {
    name: "counters, nested",
    page: "<style>body { counter-reset: a } h1 { counter-increment: a; counter-reset: b } h2 { counter-increment: b } h2::before { content: counter(a) '.' counter(b) '/' }</style><h1>x</h1><h1>y</h1><h2>z</h2><h2>w</h2>",
    holds: ({ text }) => text.includes("2.1/z") && text.includes("2.2/w"),
  },
  {
    name: "words made by styles",
    page: "<style>p::before { content: '<' attr(data-a) '>' } li::marker { content: 'no' }</style><p data-a=made>a<ul><li>item</ul>",
    holds: ({ text }) => text.includes("<made>a") && /no\s*item/.test(text),
  },
  {
    name: "selectors of today: :has(), :is(), nesting",
    page: "<style>section:has(> b) { & p:is(.a, .b) { margin-left: 200px } }</style><section><b>a</b><p class=b>there</section>",
    holds: ({ word }) => near(word("there").left, px(200)),
  },
  {
    name: "styles for print",
    page: "<style>@media print { .screen { display: none } } @media screen { .print { display: none } }</style><p class=screen>screen<p class=print>print",
    holds: ({ text }) => text.trim() === "print",
  },
  {
    name: "justified, the last line too",
    page: "<p style='text-align: justify; text-align-last: justify'>left right",
    holds: ({ word }) => word("left").left < 2 && near(word("right").right, 595),
  },
  {
    name: "formulas (MathML)",
    page: "<math><mfrac><mi>above</mi><mi>below</mi></mfrac></math>",
    holds: ({ word }) => word("above").top + 4 < word("below").top && near(word("above").left, word("below").left, 3),
  },
  {
    name: "tags of headings, lists and tables",
    page: "<h1>a</h1><ul><li>b</ul><table><tr><th>c<td>d</table>",
    holds: ({ structure }) => ["H1", "L", "LI", "Table", "TH", "TD"].every((tag) => new RegExp(`^\\s*${tag}\\b`, "m").test(structure)),
  },
];

/** No margins, so that positions are relative to the corner of the paper. */
export const documentOf = ({ page }: Feature): string =>
  `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>a</title><style>@page { size: A4; margin: 0 } body { margin: 0 }</style></head><body>${page}`;

export const printFeatures: readonly Feature[] = [...layout, ...pages, ...looks, ...texts];

/** If something is not found in the result, the feature does not hold. */
export async function doesHold(feature: Feature, printed: Printed): Promise<boolean> {
  try {
    return await feature.holds(printed);
  } catch {
    return false;
  }
}
