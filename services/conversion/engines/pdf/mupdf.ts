/** Books and pictures to PDF, by MuPDF. */

import { writeFile } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { openForPlainColours } from "../pictures/meant-colours.ts";
import { throwIfFailed as failUnlessDone } from "../shared/bad-input.ts";
import { numberOption, stringOption } from "../shared/hop-table.ts";
import { writeJpegPage } from "../shared/jpeg-page.ts";
import { integerIn, pagesOption } from "../shared/options.ts";
import { pageOf, pageSizes, paper, picturePage, sizeWished, wishOf } from "../shared/picture-page.ts";
import { openToolSession, probeInOutput, type ToolSession } from "../shared/tool-run.ts";

const program = "/usr/bin/mutool";
const books: readonly string[] = ["epub", "fb2", "mobi"];
const bookPage: readonly OptionDefinition[] = [
  { name: "pageSize", type: "enum", values: paper, default: "a5", description: "Size of the pages" },
  { name: "fontSize", type: "number", min: 4, max: 72, default: 12, unit: "pt", description: "Size of body text" },
  { name: "margin", type: "number", min: 0, max: 50, unit: "mm", description: "Page margin; default: the book's own" },
];
const pages = pagesOption("Pages to convert");
const density = integerIn("dpi", [36, 600], "Resolution of the page pictures", { default: 150, unit: "dpi" });

/** A JPEG keeps its colour profile. */
function pictureExpectations(from: string) {
  if (from === "jpg") return [expecting("ORIENTATION_APPLIED")];
  return [
    ...expectingAll("ORIENTATION_APPLIED", "PROFILE_CONVERTED"),
    expecting("MEDIA_CHANGED", "Colours with 16 bits are reduced to 8 bits."),
  ];
}

const usual = { maxInputMb: 100 } as const;
const hops: readonly Hop[] = [
  ...["jpg", "png"].map(
    (from): Hop => ({
      from,
      to: "pdf",
      fidelity: "lossless",
      cost: 30,
      ...usual,
      options: picturePage,
      expects: pictureExpectations(from),
    }),
  ),
  ...books.map((from): Hop => ({ from, to: "pdf", fidelity: "high", cost: 150, ...usual, options: bookPage })),
  { from: "cbz", to: "pdf", fidelity: "lossless", cost: 100, ...usual, maxInputMb: 500, options: [] },
  { from: "xps", to: "pdf", fidelity: "high", cost: 100, ...usual, options: [] },
  { from: "pdf", to: "cbz", fidelity: "reduced", cost: 800, ...usual, options: [pages, density] },
];

/** MuPDF does not write the properties of a book. Versions differ in how a script opens a document. */
const namingBy = (entries: Readonly<Record<string, string>>, language: string): string => `
var open = Document.openDocument || function (path) { return new Document(path); };
var book = open(scriptArgs[0]), made = new PDFDocument("/job/out"), info = made.addObject(made.newDictionary());
var said = ${JSON.stringify(entries)}, language = ${JSON.stringify(language)};
["Title", "Author"].forEach(function (name) { said[name] = said[name] || book.getMetaData("info:" + name); });
Object.keys(said).forEach(function (name) { if (said[name]) info.put(name, made.newString(said[name])); });
if (language) made.getTrailer().get("Root").put("Lang", made.newString(language));
made.getTrailer().put("Info", info);
made.save("/job/out", "incremental");
`;

/** The PDF's own names. Others are allowed, and shown by many programs. @see ISO 32000-1, 14.3.3 */
const ofPdf: Readonly<Record<string, string>> = { creator: "Author", description: "Subject", subject: "Keywords", identifier: "ISBN" };

async function namingOf({ inspector }: Work, task: HopTask): Promise<string> {
  const asked = { more: { format: task.hop.from }, signal: task.signal };
  const { properties } = await inspector.ask("bookProperties", [task.input.path], asked);
  const entries: Record<string, string> = {};
  let language = "";
  for (const { name, value } of properties) {
    const key = ofPdf[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const before = entries[key];
    if (name === "language") language ||= value;
    else if (name === "title") entries[key] ??= value;
    else if (before !== value) entries[key] = before === undefined ? value : `${before}, ${value}`;
  }
  return namingBy(entries, language);
}

type Work = { readonly session: ToolSession } & Pick<EngineHost, "inspector">;

/** The prefix names the kind of error from version 1.24 on. */
const badInput = [
  /^(?:format|syntax) error: /m,
  /^(?:\w+ )?error: (?:cannot (?:find (?:startxref|page tree|end of central)|recognize|open (?:zip|tar|archive) entry)|premature end|end of data|syntax error|unknown image|wrong zip|no objects|zlib )/m,
];

async function placePicture({ session, inspector }: Work, task: HopTask, inside: string): Promise<void> {
  const { options, hop, input } = task;
  const facts = await inspector.ask("pictureFacts", [input.path], { more: { format: hop.from }, signal: task.signal });
  if (facts.orientation !== 1) task.note("ORIENTATION_APPLIED");
  if (facts.bitDepth === 16) task.note("MEDIA_CHANGED", "Colours have 8 bits instead of 16.");
  const isJpeg = hop.from === "jpg";
  // MuPDF cuts fractions of a point off the page, and with them the edge of the picture.
  const { box, matrix } = pageOf(facts, wishOf(options), isJpeg ? undefined : 1);
  // It would drop the colour profile and invert CMYK.
  if (isJpeg) return await writeJpegPage(inspector, task, box, matrix);
  const description = `%%MediaBox ${box}\n%%Image Im0 ${inside}\nq\n${matrix} cm\n/Im0 Do\nQ\n`;
  await writeFile(session.pathOf("page.txt"), description, { flag: "wx", mode: 0o644 });
  throwIfFailed(task, await session.run({ program, args: ["create", "-o", "/job/out", "-O", "compress", "/job/page.txt"] }));
  await session.adopt("out");
}

async function convert(work: Work, task: HopTask, inside: string): Promise<void> {
  const { options, hop } = task;
  const { session } = work;
  const wished = sizeWished(options);
  const size = wished === undefined ? undefined : pageSizes[wished];
  const layout = size === undefined ? [] : ["-W", String(size[0]), "-H", String(size[1])];
  const font = numberOption(options, "fontSize");
  const dpi = numberOption(options, "dpi");
  const margin = numberOption(options, "margin");
  if (margin !== undefined)
    await writeFile(session.pathOf("page.css"), `@page { margin: ${margin}mm !important }\n`, { flag: "wx", mode: 0o644 });
  const end = await session.run({
    program,
    args: [
      ...["convert", "-F", hop.to, ...layout, ...(font === undefined ? [] : ["-S", String(font)])],
      ...(margin === undefined ? [] : ["-U", "/job/page.css"]),
      ...(dpi === undefined ? [] : ["-O", `resolution=${dpi}`]),
      ...["-o", "/job/out", inside, ...pagesOf(task)],
    ],
  });
  throwIfFailed(task, end);
  if (!books.includes(hop.from)) return;
  await writeFile(session.pathOf("naming.js"), await namingOf(work, task), { flag: "wx", mode: 0o644 });
  failUnlessDone(await session.run({ program, args: ["run", "/job/naming.js", inside] }), badInput, "The book cannot be read.");
}

function pagesOf(task: HopTask): readonly string[] {
  const asked = stringOption(task.options, "pages");
  return asked === undefined ? [] : [asked];
}

function throwIfFailed(task: HopTask, end: SandboxEnd): void {
  const { stderr } = end;
  if (/cannot authenticate password|needs a password/i.test(stderr)) {
    throw new FilemillError("PASSWORD_REQUIRED", "The PDF is protected by a password.");
  }
  if (/malloc|out of memory|too large/i.test(stderr)) {
    throw new FilemillError("INPUT_TOO_COMPLEX", "The document needs more memory than a conversion is allowed to use.");
  }
  failUnlessDone(end, badInput, `The file is damaged or is not ${task.hop.from.toUpperCase()}.`);
  if (/^(error|warning): .*(repair|broken|invalid)/im.test(stderr)) task.note("INPUT_DAMAGED");
}

async function run({ sandbox, inspector }: EngineHost, task: HopTask): Promise<void> {
  // MuPDF goes by file extension.
  const inside = `/input/document.${task.hop.from}`;
  await using session = await openToolSession(sandbox, task, inside);
  const isPicture = task.hop.from === "jpg" || task.hop.from === "png";
  if (isPicture) return await placePicture({ session, inspector }, task, inside);
  await convert({ session, inspector }, task, inside);
  await session.adopt("out");
}

export const mupdfEngine = defineEngine({
  id: "mupdf",
  label: "MuPDF",
  lane: "document",
  packages: ["mupdf-tools"],
  hops,
  badInput,
  probe: probeInOutput(program, ["-v"], /mutool version (\d[\d.]*)/),
  open: (host) => openForPlainColours(host, run),
});
