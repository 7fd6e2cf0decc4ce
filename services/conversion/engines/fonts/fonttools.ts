/**
 * Writes fonts in another container or with other outlines, and subsets them: only the characters that a page needs. Everything else in a
 * font is copied: names, features, variations, colours, permissions.
 */
import { copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { invalidOption } from "#contract/errors.ts";
import { defineEngine, type EngineHost, type Hop, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting, expectingAll } from "#services/conversion/domain/expectations.ts";
import { LacksContent } from "#services/conversion/domain/failure.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { crossHops, firstNames, ownHops, stringOption, words } from "../shared/hop-table.ts";
import { matching } from "../shared/options.ts";
import { inputInside, openToolSession, versionLineOf } from "../shared/tool-run.ts";

const python = "/usr/bin/python3";
const script = join(import.meta.dirname, "font-change.py");
const scriptInside = "/engine/font-change.py";
const badInput = [3];

const options: readonly OptionDefinition[] = [
  matching("text", "^[^\\x00-\\x1f\\x7f]{1,2000}$", "Keep only the characters of this text, with their ligatures, marks and kerning"),
  matching(
    "unicodes",
    "^(U\\+)?[0-9A-Fa-f]{1,6}(-[0-9A-Fa-f]{1,6})?(,(U\\+)?[0-9A-Fa-f]{1,6}(-[0-9A-Fa-f]{1,6})?){0,200}$",
    "Keep only these characters, in addition to those of `text`, for example `U+0020-007E,U+00C4`",
  ),
];

async function run({ sandbox }: EngineHost, task: HopTask): Promise<void> {
  const { hop, options: given } = task;
  await using session = await openToolSession(sandbox, task);
  const end = await session.run({
    program: python,
    args: ["-I", scriptInside, inputInside, "/job/out", JSON.stringify({ ...given, format: hop.to })],
    readOnly: { [script]: scriptInside },
  });
  if (end.exitCode === 5) throw invalidOption("unicodes", "The font has none of these characters.");
  if (end.exitCode === 4) throw new LacksContent("The font has no outlines to convert.");
  throwIfFailed(end, badInput, `The font is damaged or is not ${hop.from.toUpperCase()}.`);
  const answer: Answer = JSON.parse(end.stdout);
  const isWhole = answer.others.count === 0 && stringOption(given, "text") === undefined && stringOption(given, "unicodes") === undefined;
  if (hop.from === hop.to && isWhole && (await stat(session.pathOf("out"))).size >= task.input.sizeBytes) {
    await copyFile(task.input.path, task.outputPath);
    return task.note("SOURCE_KEPT");
  }
  noteLost(task, answer);
  await session.adopt("out");
}

type Answer = Readonly<Record<"hasMetadata" | "isSigned", boolean>> & {
  readonly lost: readonly string[];
  readonly others: { readonly count: number; readonly names: readonly string[] };
};

function noteLost({ note }: HopTask, { lost, others, hasMetadata, isSigned }: Answer): void {
  const left = [
    ...(lost.length > 0 ? [`The outlines were converted, without ${lost.join(" and ")}.`] : []),
    ...(others.count > 0
      ? [
          `Of the fonts in the collection, only the first was converted, not: ${firstNames(others.names, others.names.length, others.count)}.`,
        ]
      : []),
  ];
  if (left.length > 0) note("STRUCTURE_DROPPED", left.join(" "));
  if (hasMetadata) note("METADATA_DROPPED", "The metadata and private data of the web font were left out.");
  if (isSigned) note("SIGNATURES_VOID");
}

const formats = words("ttf otf woff woff2");
const ofCollection = "Of a collection, only the first font is converted.";
const mayLeaveOthers = expecting("STRUCTURE_DROPPED", ofCollection);
const mayConvert = expecting("STRUCTURE_DROPPED", `If outlines are converted, hinting and variations are left out. ${ofCollection}`);
const mayForget = expecting("METADATA_DROPPED", "The metadata and private data of web fonts are left out.");

/** A web font may have outlines of either kind; the others have one each. */
function hopOf(from: string, to: string): Omit<Hop, "from" | "to"> {
  const isWeb = (format: string) => format.startsWith("woff");
  return {
    fidelity: isWeb(to) ? "lossless" : "high",
    cost: to === "woff2" ? 1500 : 400,
    maxInputMb: 40,
    options: [],
    expects: [
      ...(isWeb(to) ? (from === "ttf" ? [mayLeaveOthers] : []) : [mayConvert, ...(isWeb(from) ? [mayForget] : [])]),
      ...expectingAll("SIGNATURES_VOID"),
    ],
  };
}

export const fonttoolsEngine = defineEngine({
  id: "fonttools",
  label: "fontTools",
  lane: "document",
  packages: ["python3-fonttools", "python3-brotli"],
  badInput,
  hops: [
    ...ownHops(formats, (format) => ({
      ...{ fidelity: "lossless", cost: 500, maxInputMb: 40, options },
      expects: [...expectingAll("SOURCE_KEPT", "SIGNATURES_VOID"), ...(format === "ttf" ? [mayLeaveOthers] : [])],
    })),
    ...crossHops(formats, formats, hopOf),
  ],
  probe: (sandbox) => versionLineOf(sandbox, python, ["-I", "-c", "import fontTools, brotli; print(fontTools.version)"]),
  run,
});
