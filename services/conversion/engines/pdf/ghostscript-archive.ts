/** PDF to PDF/A. Ghostscript draws the pages anew; what else it would drop is kept as far as the standard allows, by pikepdf. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { failureOf, saysBadInput } from "../shared/bad-input.ts";
import { stringOption } from "../shared/hop-table.ts";
import { inputInside, type ToolSession } from "../shared/tool-run.ts";
import { pagesNamed } from "./pdf-change-pages.ts";
import { lostWords, surveyOf } from "./pdf-change-survey.ts";

const profile = "/usr/share/color/icc/ghostscript/srgb.icc";
export const archiveProgram = "/job/archive.ps";
/** What the standard requires besides: the colour space. @see ISO 19005-2, 6.2.3 */
const definitions = `%!
[/_objdef {profile} /type /stream /OBJ pdfmark
[{profile} << /N 3 >> /PUT pdfmark
[{profile} (${profile}) (r) file /PUT pdfmark
[/_objdef {intent} /type /dict /OBJ pdfmark
[{intent} << /Type /OutputIntent /S /GTS_PDFA1 /DestOutputProfile {profile} /OutputConditionIdentifier (sRGB) >> /PUT pdfmark
[{Catalog} << /OutputIntents [{intent}] >> /PUT pdfmark
`;
const script = "/engine/ghostscript-archive.py";
const scripts = {
  [join(import.meta.dirname, "ghostscript-archive.py")]: script,
  [join(import.meta.dirname, "pdf-change.py")]: "/engine/pdf_change.py",
  [join(import.meta.dirname, "pdf-change-prune.py")]: "/engine/pdf_prune.py",
  [join(import.meta.dirname, "pdf-change-redrawn.py")]: "/engine/pdf_redrawn.py",
  [join(import.meta.dirname, "pdf-change-tags.py")]: "/engine/pdf_tags.py",
};
const badInput = [3, 4];
const noPages = 5;
const damaged = "The PDF is damaged.";

/** @param draw - Runs Ghostscript on a file, and leaves `/job/out`. */
export async function writeArchive(
  session: ToolSession,
  task: HopTask,
  draw: (input: string, given: readonly string[]) => Promise<void>,
): Promise<void> {
  await writeFile(session.pathOf("archive.ps"), definitions, { flag: "wx", mode: 0o644 });
  const part = stringOption(task.options, "part") ?? "2";
  const pages = stringOption(task.options, "pages");
  const given = [`-dPDFA=${part}`, "-dPDFACompatibilityPolicy=1", "-sColorConversionStrategy=RGB", `--permit-file-read=${profile}`];
  // Otherwise pages are turned until most of their text is upright.
  given.push("-dAutoRotatePages=/None");
  const prepared = await change(session, "prepare", inputInside, "/job/prepared.pdf", ...(pages === undefined ? [] : [pages]));
  if (prepared.exitCode === noPages) pagesNamed("pages", pages ?? "", JSON.parse(prepared.stdout).pages);
  // Ghostscript reads more damaged files than qpdf, and says what is wrong with the others.
  if (prepared.exitCode !== 0) {
    await draw(inputInside, pages === undefined ? given : [...given, `-sPageList=${pages}`]);
    task.note("STRUCTURE_DROPPED");
    return await session.adopt("out");
  }
  await draw("/job/prepared.pdf", given);
  const finished = await change(session, "finish", "/job/prepared.pdf", "/job/out", "/job/archive.pdf", part);
  if (finished.exitCode !== 0) throw failureOf(finished, [], damaged);
  const { before, after } = JSON.parse(finished.stdout);
  const [had, has] = [surveyOf(before), surveyOf(after)];
  const lost = lostWords(had, has, false);
  if (lost.length > 0) task.note("STRUCTURE_DROPPED", `Left out of the PDF/A: ${lost.join(", ")}.`);
  if (had.signatures > 0) task.note("SIGNATURES_VOID");
  await session.adopt("archive.pdf");
}

async function change(session: ToolSession, ...args: readonly string[]): Promise<SandboxEnd> {
  const end = await session.run({ program: "/usr/bin/python3", args: ["-I", script, ...args], readOnly: scripts });
  if (end.exitCode !== 0 && end.exitCode !== noPages && !saysBadInput(end, badInput)) throw failureOf(end, badInput, damaged);
  return end;
}
