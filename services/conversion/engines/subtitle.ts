/** Subtitles, by our own model of cues in a sandboxed worker. */
import { defineEngine, type Fidelity, type Hop, type OptionDefinition } from "../domain/engine.ts";
import { expecting, expectingAll } from "../domain/expectations.ts";
import { crossHops, words } from "./hop-table.ts";
import { encodingOption, openWorker, probeWorker } from "./node-worker.ts";

const worker = { work: "subtitle", packages: ["fast-xml-parser", "chardet"] };

const formats = words("srt vtt ass ssa ttml smi sub sbv lrc");

/** Formats with looks of their own beyond bold and italics, and formats with less than times and styles. */
const rich = new Set(words("ass ssa"));
const poor = new Set(words("sub sbv lrc"));

function fidelityOf(from: string, to: string): Fidelity {
  if (to === "txt") return "extract";
  if (from === "ass" && to === "ssa") return "reduced";
  return rich.has(from) || poor.has(to) ? "reduced" : "high";
}

const shift: OptionDefinition = {
  name: "shift",
  type: "number",
  min: -36_000,
  max: 36_000,
  default: 0,
  unit: "s",
  description: "Move all subtitles later, or with a negative value earlier.",
};
const fps: OptionDefinition = {
  name: "fps",
  type: "number",
  min: 1,
  max: 240,
  description: "Frames in a second of the film, for formats that count frames; what the file itself says comes first, else 23.976.",
};

/** SBV and lyrics have no looks that could be lost. */
const plain = new Set(words("sbv lrc"));

function expectationsOf(from: string) {
  return [
    ...expectingAll("ENCODING_GUESSED", !plain.has(from) && "STYLING_DROPPED"),
    ...(from === "smi" ? [expecting("TRACKS_LEFT_OUT", { message: "Of several languages the first is converted." })] : []),
  ];
}

const hops: readonly Hop[] = crossHops(formats, [...formats, "txt"], (from, to) => ({
  fidelity: fidelityOf(from, to),
  cost: 10,
  async: false,
  maxInputMb: 20,
  expects: expectationsOf(from),
  options: [encodingOption, ...(to === "txt" ? [] : [shift]), ...(from === "sub" || to === "sub" ? [fps] : [])],
}));

export const subtitleEngine = defineEngine({
  id: "subtitle",
  label: "Filemill subtitles",
  lane: "document",
  packages: [],
  hops,
  badInput: [],
  probe: (sandbox) => probeWorker(sandbox, worker),
  open: (host) => openWorker(host, worker),
});
