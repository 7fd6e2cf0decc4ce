/** Recognises the text in pictures (OCR). */
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import { LacksContent } from "#services/conversion/domain/failure.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { numberOption, stringOption } from "../shared/hop-table.ts";
import { integerIn, oneOf } from "../shared/options.ts";
import { inputInside, openToolSession, probeOf } from "../shared/tool-run.ts";
import { assertLanguages, languageOption, tesseract } from "./tesseract-languages.ts";

const options: readonly OptionDefinition[] = [
  languageOption,
  oneOf(
    "segmentation",
    ["page", "column", "block", "line", "word", "sparse"],
    "What the picture shows: a page with its layout, one column, block, line or word, or scattered words",
    "page",
  ),
  integerIn("dpi", [70, 2400], "Scan resolution in dpi; default: from the picture, otherwise estimated from the letters", { unit: "dpi" }),
];
const modes: Readonly<Record<string, number>> = { page: 3, column: 4, block: 6, line: 7, word: 8, sparse: 11 };

/** JPEG pictures arrive as PNG: Tesseract ignores their orientation tag. */
const hops: readonly Hop[] = ["png", "tiff"].flatMap((from): Hop[] =>
  ["txt", "hocr"].map((to) => ({ from, to, fidelity: "extract", cost: 1500, maxInputMb: 50, options })),
);

const badInput = [/Error in (?:pixRead|findTiff|fopenReadStream)|^libpng error/m];

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const language = stringOption(task.options, "language") ?? "eng";
  await assertLanguages(session, language);
  const dpi = numberOption(task.options, "dpi");
  const mode = modes[stringOption(task.options, "segmentation") ?? "page"] ?? 3;
  const end = await session.run({
    program: tesseract,
    args: [
      inputInside,
      "/job/out",
      "-l",
      language,
      "--psm",
      String(mode),
      ...(dpi === undefined ? [] : ["--dpi", String(dpi)]),
      task.hop.to,
    ],
    env: { OMP_THREAD_LIMIT: "1" },
  });
  throwIfFailed(end, badInput, "The picture is damaged or of an unsupported kind.");
  if (numberOfWords(end.stderr) === 0) throw noText();
  await session.adopt(`out.${task.hop.to}`).catch((error: unknown) => {
    // Empty output means that there is no text.
    throw error instanceof FilemillError && error.code === "CONVERSION_FAILED" ? noText() : error;
  });
}

function noText(): FilemillError {
  return new LacksContent("No text was found in the picture.");
}

function numberOfWords(said: string): number | undefined {
  return /Empty page!!/.test(said) ? 0 : undefined;
}

export const tesseractEngine = defineEngine({
  id: "tesseract",
  label: "Tesseract OCR",
  lane: "document",
  packages: ["tesseract-ocr"],
  hops,
  badInput,
  probe: probeOf(tesseract, ["--version"], /tesseract (\d[\d.]*)/),
  run,
});
