/** Subsets fonts: only the characters that a page needs, with everything that makes them join, kern and position correctly. */
import { copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import { defineEngine, type HopTask, type OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expecting } from "#services/conversion/domain/expectations.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { ownHops, stringOption } from "../shared/hop-table.ts";
import { inputInside, openToolSession, versionLineOf } from "../shared/tool-run.ts";

const python = "/usr/bin/python3";
const script = join(import.meta.dirname, "font-subset.py");
const scriptInside = "/engine/font-subset.py";
const badInput = [3];

const options: readonly OptionDefinition[] = [
  {
    name: "text",
    type: "string",
    pattern: "^[^\\x00-\\x1f\\x7f]{1,2000}$",
    description: "Keep only the characters of this text, with their ligatures, marks and kerning",
  },
  {
    name: "unicodes",
    type: "string",
    pattern: "^(U\\+)?[0-9A-Fa-f]{1,6}(-[0-9A-Fa-f]{1,6})?(,(U\\+)?[0-9A-Fa-f]{1,6}(-[0-9A-Fa-f]{1,6})?){0,200}$",
    description: "Keep only these characters, in addition to those of `text`, for example `U+0020-007E,U+00C4`",
  },
];

async function run(sandbox: Sandbox, task: HopTask): Promise<void> {
  const { hop, options: given } = task;
  await using session = await openToolSession(sandbox, task);
  const end = await session.run({
    program: python,
    args: ["-I", scriptInside, inputInside, "/job/out", JSON.stringify({ ...given, format: hop.to })],
    readOnly: { [script]: scriptInside },
  });
  if (end.exitCode === 5) {
    throw new FilemillError("INVALID_OPTION", "The font has none of these characters.", { details: { option: "unicodes" } });
  }
  throwIfFailed(end, badInput, `The font is damaged or is not ${hop.from.toUpperCase()}.`);
  const isWhole = stringOption(given, "text") === undefined && stringOption(given, "unicodes") === undefined;
  if (isWhole && (await stat(session.pathOf("out"))).size >= task.input.sizeBytes) {
    await copyFile(task.input.path, task.outputPath);
    return task.note("SOURCE_KEPT");
  }
  await session.adopt("out");
}

export const fonttoolsEngine = defineEngine({
  id: "fonttools",
  label: "fontTools",
  lane: "document",
  packages: ["python3-fonttools", "python3-brotli"],
  badInput,
  hops: ownHops(["ttf", "otf", "woff", "woff2"], () => ({
    ...{ fidelity: "lossless", cost: 500, async: false, maxInputMb: 40 },
    ...{ options, expects: [expecting("SOURCE_KEPT")] },
  })),
  async probe(sandbox) {
    return await versionLineOf(sandbox, python, ["-I", "-c", "import fontTools, brotli; print(fontTools.version)"]);
  },
  async open({ sandbox }) {
    return { run: (task) => run(sandbox, task), [Symbol.asyncDispose]: async () => undefined };
  },
});
