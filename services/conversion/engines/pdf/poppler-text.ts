/** Extracts the text of a PDF with pdftotext; pages that are pictures go through Tesseract first. */
import { writeFile } from "node:fs/promises";
import type { EngineHost, HopTask, OptionDefinition } from "#services/conversion/domain/engine.ts";
import { askMade, noLetters } from "../shared/ask-inspector.ts";
import { failureOf, throwIfFailed } from "../shared/bad-input.ts";
import { firstNames, numberOption } from "../shared/hop-table.ts";
import { oneOf } from "../shared/options.ts";
import { inputInside, openToolSession, stepFile, type ToolSession } from "../shared/tool-run.ts";
import { barePages } from "./pdf-bare-pages.ts";
import { readingOptions, recogniseOr, wordsFor } from "./pdf-recognition.ts";
import { guessedFonts, popplerBadInput, readFacts, saysDamaged } from "./poppler-pages.ts";

export const textOptions: readonly OptionDefinition[] = [
  oneOf("layout", ["reading", "page"], "`reading` follows the flow of the text; `page` keeps columns and tables in place", "reading"),
  ...readingOptions,
];

type Host = Pick<EngineHost, "sandbox" | "inspector">;
/** `pictures`: pages whose text can only be in pictures. */
type Taken = { readonly letters: number; readonly pictures: readonly number[] };

export async function extractText(host: Host, task: HopTask): Promise<void> {
  await using session = await openToolSession(host.sandbox, task);
  const first = await take(host, session, task);
  const guessed = await guessedFonts(session);
  if (guessed !== undefined) task.note("TEXT_NOT_RECOGNISED", guessed);
  await noteAttached(session, task);
  if (first.pictures.length === 0) return await finish(session, task, first);
  await using searchable = stepFile(task, "searchable");
  await using text = stepFile(task, "recognised");
  const asked = await recogniseOr(host.sandbox, task, {
    ...{ wanted: (page) => first.pictures.includes(page), path: searchable.path, textPath: text.path },
    ...{ isForText: true, isNeeded: first.letters === 0 },
  });
  if (asked === undefined || asked.pages.length === 0) {
    noteUnread(task, first.pictures);
    return await finish(session, task, first);
  }
  const read = { ...task, input: { ...task.input, path: searchable.path } };
  await using second = await openToolSession(host.sandbox, read);
  const all = await take(host, second, read);
  task.note("TEXT_RECOGNISED", wordsFor(asked));
  if (all.pictures.length > 0) noteUnread(task, all.pictures);
  if (task.options.layout === "page") return await finish(second, task, all);
  await replacePages(session, text.path, asked.pages, numberOption(task.options, "firstPage") ?? 1);
  await finish(session, task, all);
}

/** In a portfolio, they are all that there is. */
async function noteAttached(session: ToolSession, task: HopTask): Promise<void> {
  const { stdout } = await session.run({ program: "/usr/bin/pdfdetach", args: ["-list", inputInside] });
  const names = [...stdout.matchAll(/^\d{1,9}: (.{1,100})/gm)].map(([, name = ""]) => name);
  if (names.length > 0) task.note("STRUCTURE_DROPPED", `Attached files were left out: ${firstNames(names, 4)}.`);
}

/** Leaves the text in the session. */
async function take({ inspector }: Host, session: ToolSession, task: HopTask): Promise<Taken> {
  const first = numberOption(task.options, "firstPage") ?? 1;
  const { pages, mayBeCropped } = await readFacts(session, first, task);
  const range = ["-f", String(first), "-l", String(Math.min(numberOption(task.options, "lastPage") ?? pages, pages))];
  const layout = task.options.layout === "page" ? ["-layout"] : [];
  const source = mayBeCropped ? await shownPart(session, task) : inputInside;
  const args = ["-enc", "UTF-8", "-eol", "unix", ...layout, ...range, source, "/job/out"];
  const end = await session.run({ program: "/usr/bin/pdftotext", args });
  throwIfFailed(end, popplerBadInput, "The PDF is damaged and could not be read.");
  if (saysDamaged(end.stderr)) task.note("INPUT_DAMAGED");
  const letters = await askMade(inspector, "letters", [session.pathOf("out")], { signal: task.signal }).catch(noLetters);
  const bare = await barePages(session, "/job/out", first);
  return { letters: letters.all, pictures: bare.filter(({ isPictured }) => isPictured).map(({ page }) => page) };
}

/**
 * pdftotext knows no crop boxes, so the visible part of each page becomes the whole page. Boxes may name any two opposite corners. Pages are
 * reached through the tree, because finding one by its number takes time that grows with their number.
 */
const uncropping = `function boxOf(node, name) {
    var own = node.get(name)
    if (!own || !own.isArray() || own.length !== 4) return null
    var sides = [0, 1, 2, 3].map(function (at) { return own.get(at).asNumber() })
    return [0, 1].map(function (at) { return Math.min(sides[at], sides[at + 2]) }).concat([2, 3].map(function (at) { return Math.max(sides[at], sides[at - 2]) }))
  }
  var pdf = new PDFDocument(scriptArgs[0]), isCropped = false, left = 1000000
  function visit(node, outerCrop, outerWhole, depth) {
    if (depth > 100 || (left -= 1) < 0) throw new Error("too many pages, or a tree that leads back to itself")
    if (!node.isDictionary()) return
    var crop = boxOf(node, "CropBox") || outerCrop, whole = boxOf(node, "MediaBox") || outerWhole, kids = node.get("Kids")
    if (kids && kids.isArray()) for (var at = 0; at < kids.length; at++) visit(kids.get(at), crop, whole, depth + 1)
    else if (crop && whole) show(node, crop, whole)
  }
  function show(page, crop, whole) {
    var shown = crop.map(function (side, at) { return at < 2 ? Math.max(side, whole[at]) : Math.min(side, whole[at]) })
    if (shown[0] >= shown[2] || shown[1] >= shown[3] || String(shown) === String(whole)) return
    page.put("MediaBox", shown)
    isCropped = true
  }
  visit(pdf.getTrailer().get("Root").get("Pages"), null, null, 0)
  if (isCropped) pdf.save(scriptArgs[1])`;

/** The path inside of the PDF without what its pages do not show, if they are cropped. */
async function shownPart(session: ToolSession, task: HopTask): Promise<string> {
  await writeFile(session.pathOf("uncropping.js"), uncropping, { flag: "wx", mode: 0o644 });
  const args = ["-c", `/usr/bin/mutool run /job/uncropping.js "$1" /job/shown >&2 && [ -s /job/shown ] && echo yes`, "sh", inputInside];
  const { stdout, stderr } = await session.run({ program: "/bin/sh", args });
  if (stdout.trim() !== "yes") return inputInside;
  // pdftotext reads what was repaired.
  if (/^warning: .*repair/m.test(stderr)) task.note("INPUT_DAMAGED");
  return "/job/shown";
}

/**
 * Puts the recognised text of `pages` before the little that pdftotext found there. OCR knows which words form a
 * line; pdftotext would have to infer that from positions and gaps, which are imprecise in a scan.
 */
async function replacePages(session: ToolSession, textPath: string, pages: readonly number[], first: number): Promise<void> {
  const places = pages.map((page) => page - first + 1).join(" ");
  const pick = `BEGIN { RS = ORS = "\f"; split(places, numbers, " "); for (i in numbers) place[numbers[i]] = i }
    NR == FNR { read[FNR] = $0; next } { print (FNR in place ? read[place[FNR]] : "") $0 }`;
  const end = await session.run({
    program: "/bin/sh",
    args: ["-c", 'awk -v "places=$1" "$2" /engine/recognised /job/out > /job/replaced && mv /job/replaced /job/out', "sh", places, pick],
    env: { LC_ALL: "C" },
    readOnly: { [textPath]: "/engine/recognised" },
  });
  if (end.exitCode !== 0) throw failureOf(end, [], "The recognised text could not be put into its place.");
}

function noteUnread(task: HopTask, pages: readonly number[]): void {
  task.note("TEXT_NOT_RECOGNISED", `Text in the pictures of these pages was not recognised: ${firstNames(pages.map(String), 10)}.`);
}

/** Pages without text are only form feeds. */
async function finish(session: ToolSession, task: HopTask, { letters, pictures }: Taken): Promise<void> {
  if (letters === 0 && pictures.length === 0) task.note("PAGES_EMPTY", "The pages hold no text.");
  if (await hasPrivateSigns(session))
    task.note(
      "TEXT_NOT_RECOGNISED",
      "Fonts do not say which characters some signs are, such as those of symbol fonts; they are codes in the text.",
    );
  await session.adopt("out");
}

/** Whether there are characters for private use, besides those of the bullets at the start of lines, which become plain ones. */
async function hasPrivateSigns(session: ToolSession): Promise<boolean> {
  const bullets = { "\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "➢", "\uf0fc": "✓" };
  const spelled = Object.entries(bullets).map(([sign, bullet]) => `s/^\\([ \f]*\\)${sign}/\\1${bullet}/`);
  const signs = "\\xee|\\xef[\\x80-\\xa3]";
  const look = `/usr/bin/grep -aqP "$1" /job/out && /usr/bin/sed -i "$2" /job/out && /usr/bin/grep -aqP "$1" /job/out`;
  const end = await session.run({ program: "/bin/sh", args: ["-c", look, "sh", signs, spelled.join(";")], env: { LC_ALL: "C" } });
  return end.exitCode === 0;
}
