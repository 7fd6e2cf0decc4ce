/** Rewrites the pages of a PDF with Ghostscript, or repairs a PDF that nothing else can read with MuPDF. */
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { failureOf } from "../shared/bad-input.ts";
import { inputInside, openToolSession } from "../shared/tool-run.ts";

/** Arguments that leave pictures unchanged. */
export const untouched = [
  ...["Color", "Gray"].flatMap((kind) => [
    `-dDownsample${kind}Images=false`,
    `-dAutoFilter${kind}Images=false`,
    `-d${kind}ImageFilter=/FlateEncode`,
  ]),
  "-dDownsampleMonoImages=false",
  "-dPassThroughJPEGImages=true",
];
const withoutColour = ["-sColorConversionStrategy=Gray", "-dProcessColorModel=/DeviceGray"];

/** To grayscale, or with all pictures unchanged and fonts subset to the characters in use. */
export async function rewritePdf(sandbox: Sandbox, task: HopTask, isGray: boolean): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const end = await session.run({
    program: "/usr/bin/gs",
    args: [
      ...["-dSAFER", "-dBATCH", "-dNOPAUSE", "-dQUIET", "-sDEVICE=pdfwrite", "-dCompatibilityLevel=1.7"],
      // Otherwise pages are turned until most of their text is upright.
      "-dAutoRotatePages=/None",
      ...(isGray ? withoutColour : untouched),
      ...["-sOutputFile=/job/out", "-f", inputInside],
    ],
  });
  if (end.exitCode !== 0) throw failureOf(end, [/PDF file is damaged/], "The PDF is damaged.");
  await session.adopt("out");
}

/** False if it is beyond repair. */
export async function repairPdf(sandbox: Sandbox, task: HopTask): Promise<boolean> {
  await using session = await openToolSession(sandbox, task);
  // With any other extension, mutool takes the name for a list of pages and never finishes.
  const end = await session.run({ program: "/usr/bin/mutool", args: ["clean", "-g", inputInside, "/job/out.pdf"] });
  if (end.exitCode !== 0) return false;
  return await session.adopt("out.pdf").then(
    () => true,
    () => false,
  );
}
