import { becomes, bytes, differs, effectsOf, gains, larger, loses, pdfInfo, pdfText, pictured, size, smaller } from "./effect.ts";

const toPdf = { hop: "html>pdf", sample: "page.html" } as const;
const toPng = { hop: "html>png", sample: "page.html" } as const;
const toJpg = { hop: "html>jpg", sample: "page.html" } as const;
const pageSize = pdfInfo("Page size");
const pages = async (path: string): Promise<number> => Number(await pdfInfo("Pages")(path));

export const pageEffects = effectsOf("chromium", [
  { ...toPdf, option: "pageSize", given: { pageSize: "letter" }, figure: pageSize, shows: gains(/letter/) },
  { ...toPdf, option: "margin", given: { margin: 60 }, figure: pages, shows: larger },
  { ...toPdf, option: "landscape", given: { landscape: true }, figure: pageSize, shows: gains(/84\d\S* x 59\d/) },
  { ...toPdf, option: "scale", given: { scale: 2 }, figure: pages, shows: larger },
  { ...toPdf, option: "background", given: { background: false }, figure: bytes, shows: smaller },
  { ...toPdf, option: "header", given: { header: "Wombat {title}" }, figure: pdfText, shows: gains(/Wombat Numbat/) },
  { ...toPdf, option: "footer", given: { footer: "<Leaf> {page} of {pages}" }, figure: pdfText, shows: gains(/<Leaf> 1 of [2-9]/) },
  { ...toPdf, option: "pages", given: { pages: "1" }, figure: pdfText, shows: loses(/the second page/) },
  { ...toPdf, option: "media", given: { media: "screen" }, figure: pdfText, shows: gains(/on screens/) },
  { ...toPdf, option: "javascript", given: { javascript: true }, figure: pdfText, shows: gains(/early/) },
  {
    ...toPdf,
    option: "javascriptSeconds",
    base: { javascript: true },
    given: { javascript: true, javascriptSeconds: 20 },
    figure: pdfText,
    shows: gains(/late/),
  },
  { ...toPng, option: "viewportWidth", given: { viewportWidth: 640 }, figure: pictured("%w"), shows: becomes("640") },
  {
    ...toPng,
    option: "fullPage",
    base: { viewportWidth: 300 },
    given: { viewportWidth: 300, fullPage: false },
    figure: size,
    shows: becomes("300x168"),
  },
  { ...toPng, option: "scale", given: { scale: 2 }, figure: pictured("%w"), shows: becomes("2560") },
  { ...toPng, option: "media", given: { media: "print" }, figure: bytes, shows: differs },
  { ...toJpg, option: "quality", given: { quality: 20 }, figure: bytes, shows: smaller },
]);
