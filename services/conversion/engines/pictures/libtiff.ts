/** TIFF to PDF by libtiff: every page; fax and JPEG compression stay unchanged. */
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type HopTask } from "#services/conversion/domain/engine.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { stringOption } from "../shared/hop-table.ts";
import { oneOf } from "../shared/options.ts";
import { inputInside, openToolSession, probeOf } from "../shared/tool-run.ts";

const program = "/usr/bin/tiff2pdf";
const papers: Readonly<Record<string, string>> = { a3: "A3", a4: "A4", a5: "A5", letter: "LETTER", legal: "LEGAL" };

const badInput = [
  /Not a TIFF|(?:Can ?not|Failed to|Can't) read (?:TIFF )?(?:directory|header)|Read error (?:on|at|in)|Error on decoding|unexpected end of file/i,
];

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const info = await session.run({ program: "/usr/bin/tiffinfo", args: [inputInside] });
  // It repeats the first of several strips.
  if (/^[ \t]*Compression Scheme: Old-style JPEG/m.test(info.stdout)) {
    throw new FilemillError("CONVERSION_FAILED", "A picture in old-style JPEG cannot be placed on a page as it is.");
  }
  // It swaps red and blue if there is transparency.
  if (/^[ \t]*Extra Samples:.*alpha/im.test(info.stdout)) {
    throw new FilemillError("CONVERSION_FAILED", "The picture has transparency, which cannot be placed on a page.");
  }
  // It takes a mere ratio of width and height for dots per point, and means 300 dpi where a picture says nothing. What it is told holds for every page.
  const [first, ...others] = info.stdout
    .split(/^TIFF Directory/m)
    .slice(1)
    .map((page) => /^[ \t]*Resolution: .*/m.exec(page)?.[0]);
  const ratio = others.every((other) => other === first) ? /([\d.]{1,20}), ([\d.]{1,20}) \(unitless\)/.exec(first ?? "") : null;
  const aspect = Number(ratio?.[2]) / Number(ratio?.[1]);
  const tall = (300 / 72) * (aspect > 0 && aspect < Infinity ? aspect : 1);
  const dots = ratio === null ? [] : ["-r", "o", "-x", `${300 / 72}`, "-y", `${tall}`];
  const paper = papers[stringOption(task.options, "pageSize") ?? "fit"];
  const end = await session.run({
    program,
    args: ["-n", "-z", ...dots, ...(paper === undefined ? [] : ["-p", paper, "-F"]), "-o", "/job/out", inputInside],
  });
  // Valid, but unsupported on a PDF page by libtiff, such as 16 bits per sample.
  if (/No support for|can ?not handle/i.test(end.stderr)) {
    throw new FilemillError("CONVERSION_FAILED", "This kind of picture cannot be placed on a page.");
  }
  throwIfFailed(end, badInput, "The picture is damaged or is not a TIFF.");
  await session.adopt("out");
}

export const libtiffEngine = defineEngine({
  id: "libtiff",
  label: "libtiff",
  lane: "image",
  packages: ["libtiff-tools"],
  hops: [
    {
      from: "tiff",
      to: "pdf",
      fidelity: "lossless",
      cost: 100,
      maxInputMb: 200,
      options: [
        oneOf("pageSize", ["fit", ...Object.keys(papers)], "Pages as large as the pictures, or a paper size that the pictures fill", "fit"),
      ],
    },
  ],
  badInput,
  probe: probeOf("/usr/bin/tiffinfo", ["-h"], /(\d{1,9}\.\d[\d.]*)/),
  run,
});
