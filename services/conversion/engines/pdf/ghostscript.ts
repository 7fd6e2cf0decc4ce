/** PostScript to PDF, and PDF to PDF/A, by Ghostscript. */

import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed as failUnlessDone } from "../shared/bad-input.ts";
import { stringOption } from "../shared/hop-table.ts";
import { oneOf, pagesOption, yesOrNo } from "../shared/options.ts";
import { archivePart } from "../shared/pdf-options.ts";
import { inputInside, openToolSession, type ToolSession, versionLineOf } from "../shared/tool-run.ts";
import { archiveProgram, writeArchive } from "./ghostscript-archive.ts";
import { untouched } from "./pdf-change-ghostscript.ts";

const program = "/usr/bin/gs";

const pictures = oneOf("pictures", ["keep", "300", "150", "72"], "Keep pictures unchanged, or downsample them to this many dpi", "keep");
const crop = yesOrNo("crop", "Page size: the drawing's bounding box, or the page size the drawing declares", { default: true });
const pages = pagesOption("Pages to keep, in ascending order");
const usual = { maxInputMb: 200 } as const;

const hops: readonly Hop[] = [
  { from: "ps", to: "pdf", fidelity: "high", cost: 200, ...usual, options: [pictures] },
  { from: "eps", to: "pdf", fidelity: "high", cost: 200, ...usual, options: [crop, pictures] },
  {
    ...{ from: "pdf", to: "pdfa", fidelity: "high", cost: 300, ...usual, options: [archivePart, pages, pictures] },
    expects: [expecting("STRUCTURE_DROPPED"), expecting("SIGNATURES_VOID")],
  },
];

function pictureArgumentsOf(task: HopTask): readonly string[] {
  const asked = stringOption(task.options, "pictures") ?? "keep";
  if (asked === "keep") return untouched;
  return ["Color", "Gray", "Mono"].flatMap((kind) => [
    `-dDownsample${kind}Images=true`,
    `-d${kind}ImageDownsampleThreshold=1.0`,
    `-d${kind}ImageResolution=${asked}`,
  ]);
}

/** PostScript errors by name, except those caused by the interpreter's limits or the disk. @see PostScript Language Reference, 8.1 */
const badInput = [
  /^Error: \/(?:syntaxerror|undefined|typecheck|rangecheck|(?:dict)?stack(?:under|over)flow|unmatchedmark|invalid(?:access|fileaccess|font|restore)|nocurrentpoint)/m,
  /^Error: \/ioerror in --(?:image|colorimage|read|run|token)/m,
  /Couldn't initialise|PDF file is damaged/,
];

function throwIfFailed(task: HopTask, end: SandboxEnd): void {
  const said = `${end.stdout}\n${end.stderr}`;
  if (/requires a password|Password did not work|invalidfileaccess.{0,500}Encrypt/i.test(said)) {
    throw new FilemillError("PASSWORD_REQUIRED", "The PDF is protected by a password.");
  }
  if (/VMerror/.test(said))
    throw new FilemillError("INPUT_TOO_COMPLEX", "The document needs more memory than a conversion is allowed to use.");
  const label = task.hop.from === "pdf" ? "PDF" : "PostScript";
  failUnlessDone(end, badInput, `The document is damaged or is not ${label}.`);
  if (/\*\*\*\*\s+(Error|Warning)|Error: \//.test(said)) task.note("INPUT_DAMAGED");
}

const boxes = "%!PS-Adobe-[0-9.]+ EPSF|%%BoundingBox:[ \t]*(\\(atend\\)|(-?[0-9.]+[ \t]*){4})";

/** Ghostscript itself crops only to a box at the beginning of a file that calls itself EPS. */
async function cropOf(session: ToolSession): Promise<readonly string[]> {
  const { stdout } = await session.run({ program: "/bin/grep", args: ["-aoE", "-m", "500", boxes, inputInside] });
  const told = stdout.split("\n").filter((line) => line.startsWith("%%"));
  const isAtEnd = told[0]?.includes("(atend)") === true;
  if (!isAtEnd && stdout.includes("EPSF")) return ["-dEPSCrop"];
  const [left = 0, bottom = 0, right = 0, top = 0] = (told.at(isAtEnd ? -1 : 0) ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [];
  if (!(right > left && top > bottom)) return ["-dEPSCrop"];
  const size = [`-dDEVICEWIDTHPOINTS=${right - left}`, `-dDEVICEHEIGHTPOINTS=${top - bottom}`, "-dFIXEDMEDIA"];
  return [...size, "-c", `<</PageOffset [${-left} ${-bottom}]>> setpagedevice`];
}

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const draw = async (input: string, given: readonly string[], setup: readonly string[] = []): Promise<void> => {
    const end = await session.run({
      program,
      args: [
        ...["-dSAFER", "-dBATCH", "-dNOPAUSE", "-dQUIET", "-sDEVICE=pdfwrite"],
        `-dCompatibilityLevel=${task.options.part === "1" ? "1.4" : "1.7"}`,
        ...pictureArgumentsOf(task),
        ...given,
        ...["-sOutputFile=/job/out", ...(task.hop.to === "pdfa" ? [archiveProgram] : []), ...setup, "-f", input],
      ],
    });
    throwIfFailed(task, end);
  };
  if (task.hop.to === "pdfa") return await writeArchive(session, task, draw);
  await draw(inputInside, [], task.hop.from === "eps" && task.options.crop !== false ? await cropOf(session) : []);
  await session.adopt("out");
}

export const ghostscriptEngine = defineEngine({
  id: "ghostscript",
  label: "Ghostscript",
  lane: "document",
  packages: ["ghostscript", "python3-pikepdf"],
  hops,
  badInput,
  probe: (sandbox) => versionLineOf(sandbox, program, ["--version"]),
  run,
});
