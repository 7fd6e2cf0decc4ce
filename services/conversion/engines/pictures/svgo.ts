/** SVG drawings rewritten as SVG, by svgo in a sandboxed worker. */
import type { OptionDefinition } from "#services/conversion/domain/engine.ts";
import { expectingAll } from "#services/conversion/domain/expectations.ts";
import { ownHops } from "../shared/hop-table.ts";
import { workerEngine } from "../shared/node-worker.ts";
import { integerIn } from "../shared/options.ts";

const worker = { work: "svgo", packages: ["svgo", "chardet"] };

const choice = (name: string, description: string): OptionDefinition => ({
  ...{ name, type: "enum", values: ["keep", "strip"], default: "keep", description },
});
const options: readonly OptionDefinition[] = [
  integerIn(
    "precision",
    [0, 8],
    "Decimal places to keep; fewer make a smaller file; default: 3, or more if the drawing's units are large",
    { unit: "digits" },
  ),
  choice("scripts", "Scripts and event handlers"),
  choice("external", "References to external pictures, styles and fonts; hyperlinks are always kept"),
  choice("metadata", "Titles, descriptions, comments and editor data"),
];

export const svgoEngine = workerEngine(worker, {
  id: "svgo",
  label: "svgo",
  lane: "image",
  hops: ownHops(["svg", "svgz"], () => ({
    ...{ fidelity: "high", cost: 100, maxInputMb: 10 },
    ...{ options, expects: expectingAll("SOURCE_KEPT", "ENCODING_GUESSED") },
  })),
});
