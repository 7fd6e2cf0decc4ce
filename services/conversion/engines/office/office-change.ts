/** Office documents rewritten in their format: smaller, cleaned, repaired. Parts that need no change keep their bytes. */
import { copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { defineEngine, type EngineHost, type Hop, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { ownHops, words } from "../shared/hop-table.ts";
import { oneOf } from "../shared/options.ts";
import { inputInside, openToolSession, versionLineOf } from "../shared/tool-run.ts";

const python = "/usr/bin/python3";
const scripts = {
  [join(import.meta.dirname, "office-change.py")]: "/engine/office-change.py",
  [join(import.meta.dirname, "office-change-packages.py")]: "/engine/office_packages.py",
  [join(import.meta.dirname, "office-change-cleaning.py")]: "/engine/office_cleaning.py",
  [join(import.meta.dirname, "office-change-pictures.py")]: "/engine/office_pictures.py",
};
const badInput = [3];
const damaged = "The document is damaged beyond repair, or is not what it claims to be.";

const options: readonly OptionDefinition[] = [
  oneOf(
    "optimise",
    ["screen", "ebook", "print"],
    "Make the file smaller: pictures above 72, 150 or 300 dpi are downsampled and compressed",
  ),
  oneOf(
    "metadata",
    ["keep", "strip"],
    "Title, dates, and names of people, programs and printers, also in pictures; `strip`: comments and tracked changes are by “Author”",
    "keep",
  ),
  oneOf("comments", ["keep", "strip"], "Comments; tracked changes are always kept", "keep"),
];

const formats = words("docx docm dotx xlsx xlsm xltx pptx pptm ppsx ppsm potx potm odt ott ods ots odp otp odg otg");
const hops: readonly Hop[] = ownHops(formats, () => ({
  fidelity: "lossless",
  cost: 200,
  maxInputMb: 200,
  options,
  expects: [expecting("SOURCE_KEPT"), expecting("SIGNATURES_VOID")],
}));

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const end = await session.run({
    program: python,
    args: ["-I", "/engine/office-change.py", inputInside, "/job/out", JSON.stringify(task.options)],
    readOnly: scripts,
  });
  throwIfFailed(end, badInput, damaged);
  const said: Said = JSON.parse(end.stdout);
  const isCleaned = task.options.metadata === "strip" || task.options.comments === "strip";
  if (!said.isDamaged && !isCleaned && (await stat(session.pathOf("out"))).size >= task.input.sizeBytes) {
    await copyFile(task.input.path, task.outputPath);
    task.note("SOURCE_KEPT");
    return;
  }
  if (said.isDamaged) task.note("INPUT_DAMAGED", wordsFor(said));
  if (said.isVoid) task.note("SIGNATURES_VOID");
  await session.adopt("out");
}

type Said = { readonly isDamaged: boolean; readonly named: readonly string[]; readonly unnamed: number; readonly isVoid: boolean };

function wordsFor({ named, unnamed }: Said): string {
  if (named.length === 0) return "The file is truncated; everything before that point was kept.";
  const more = unnamed > 0 ? ` and ${unnamed} more` : "";
  return `Damaged parts were kept as far as they could be read: ${named.join(", ")}${more}.`;
}

export const officeChangeEngine = defineEngine({
  id: "office-change",
  label: "Pillow, on parts of the document",
  lane: "document",
  packages: ["python3", "python3-pil", "python3-lxml", "libarchive-tools"],
  badInput,
  hops,
  probe: (sandbox) => versionLineOf(sandbox, python, ["-I", "-c", "import PIL, lxml.etree; print(PIL.__version__)"]),
  run,
});
