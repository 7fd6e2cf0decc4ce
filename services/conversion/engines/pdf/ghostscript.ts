/** PostScript to PDF, and PDF to PDF/A, by Ghostscript. */
import { writeFile } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import type { SandboxEnd } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed as failUnlessDone } from "../shared/bad-input.ts";
import { stringOption } from "../shared/hop-table.ts";
import { inputInside, openToolSession, versionLineOf } from "../shared/tool-run.ts";

const program = "/usr/bin/gs";
const profile = "/usr/share/color/icc/ghostscript/srgb.icc";

const pictures: OptionDefinition = {
  name: "pictures",
  type: "enum",
  values: ["keep", "300", "150", "72"],
  default: "keep",
  description: "Keep pictures unchanged, or downsample them to this many dpi",
};
const crop: OptionDefinition = {
  name: "crop",
  type: "boolean",
  default: true,
  description: "Page size: the drawing's bounding box, or the page size the drawing declares",
};
const pages: OptionDefinition = {
  name: "pages",
  type: "string",
  pattern: "^[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?){0,20}$",
  description: "Pages to keep, in ascending order, for example `1-3,7`",
};
const part: OptionDefinition = {
  name: "part",
  type: "enum",
  values: ["1", "2", "3"],
  default: "2",
  description: "Part of the standard: PDF/A-1b, PDF/A-2b or PDF/A-3b (ISO 19005)",
};
const usual = { async: false, maxInputMb: 200 } as const;

const hops: readonly Hop[] = [
  { from: "ps", to: "pdf", fidelity: "high", cost: 200, ...usual, options: [pictures] },
  { from: "eps", to: "pdf", fidelity: "high", cost: 200, ...usual, options: [crop, pictures] },
  { from: "pdf", to: "pdfa", fidelity: "high", cost: 300, ...usual, options: [part, pages, pictures] },
];

/** What PDF/A-2 additionally requires: the colour space. @see ISO 19005-2, 6.2.3 */
const archiveDefinitions = `%!
[/_objdef {profile} /type /stream /OBJ pdfmark
[{profile} << /N 3 >> /PUT pdfmark
[{profile} (${profile}) (r) file /PUT pdfmark
[/_objdef {intent} /type /dict /OBJ pdfmark
[{intent} << /Type /OutputIntent /S /GTS_PDFA1 /DestOutputProfile {profile} /OutputConditionIdentifier (sRGB) >> /PUT pdfmark
[{Catalog} << /OutputIntents [{intent}] >> /PUT pdfmark
`;
const archiveArguments = ["-dPDFACompatibilityPolicy=1", "-sColorConversionStrategy=RGB", `--permit-file-read=${profile}`];

function pictureArgumentsOf(task: HopTask): readonly string[] {
  const asked = stringOption(task.options, "pictures") ?? "keep";
  if (asked === "keep") {
    const exact = ["Color", "Gray"].flatMap((kind) => [`-dDownsample${kind}Images=false`, `-dAutoFilter${kind}Images=false`]);
    return [
      ...exact,
      "-dDownsampleMonoImages=false",
      "-dColorImageFilter=/FlateEncode",
      "-dGrayImageFilter=/FlateEncode",
      "-dPassThroughJPEGImages=true",
    ];
  }
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

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const isArchive = task.hop.to === "pdfa";
  if (isArchive) await writeFile(session.pathOf("archive.ps"), archiveDefinitions, { flag: "wx", mode: 0o644 });
  const pageList = stringOption(task.options, "pages");
  const end = await session.run({
    program,
    args: [
      ...["-dSAFER", "-dBATCH", "-dNOPAUSE", "-dQUIET", "-sDEVICE=pdfwrite"],
      `-dCompatibilityLevel=${task.options.part === "1" ? "1.4" : "1.7"}`,
      ...pictureArgumentsOf(task),
      ...(isArchive ? [`-dPDFA=${stringOption(task.options, "part") ?? "2"}`, ...archiveArguments] : []),
      ...(pageList === undefined ? [] : [`-sPageList=${pageList}`]),
      ...(task.hop.from === "eps" && task.options.crop !== false ? ["-dEPSCrop"] : []),
      "-sOutputFile=/job/out",
      ...(isArchive ? ["/job/archive.ps"] : []),
      ...["-f", inputInside],
    ],
  });
  throwIfFailed(task, end);
  await session.adopt("out");
}

export const ghostscriptEngine = defineEngine({
  id: "ghostscript",
  label: "Ghostscript",
  lane: "document",
  packages: ["ghostscript"],
  hops,
  badInput,
  probe: (sandbox) => versionLineOf(sandbox, program, ["--version"]),
  run,
});
