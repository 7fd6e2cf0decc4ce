/** The pictures of phones, HEIC, by the tools of libheif. */
import { FilemillError } from "#kit/errors.ts";
import { defineEngine, type Hop, type HopTask } from "../domain/engine.ts";
import { expectingAll } from "../domain/expectations.ts";
import type { Sandbox } from "../domain/sandbox.ts";
import { numberOption, stringOption } from "./hop-table.ts";
import { inputInside, openToolSession, type ToolSession, versionLineOf } from "./tool-run.ts";

const reader = { async: false, maxInputMb: 100 } as const;

/** JPEG pictures become HEIC by way of PNG: heif-enc stores them as they lie and forgets how they are to be turned. */
const hops: readonly Hop[] = [
  { from: "heic", to: "png", fidelity: "lossless", cost: 150, ...reader, options: [], expects: expectingAll("PAGES_LEFT_OUT") },
  {
    from: "heic",
    to: "jpg",
    fidelity: "high",
    cost: 100,
    ...reader,
    options: [{ name: "quality", type: "integer", min: 1, max: 100, default: 90, description: "Quality of lossy compression" }],
    expects: expectingAll("PAGES_LEFT_OUT", "ALPHA_FLATTENED"),
  },
  {
    from: "png",
    to: "heic",
    fidelity: "high",
    cost: 400,
    ...reader,
    options: [
      { name: "quality", type: "integer", min: 0, max: 100, default: 60, description: "Quality of lossy compression" },
      {
        name: "effort",
        type: "enum",
        values: ["ultrafast", "superfast", "veryfast", "fast", "medium"],
        default: "ultrafast",
        description: "CPU spent on a smaller file, least to most",
      },
    ],
  },
];

async function encode(sandbox: Sandbox, task: HopTask): Promise<void> {
  const inside = "/input/picture.png";
  await using session = await openToolSession(sandbox, task, inside);
  const quality = ["-q", String(numberOption(task.options, "quality") ?? 60)];
  const effort = ["-p", `preset=${stringOption(task.options, "effort") ?? "ultrafast"}`];
  const end = await session.run({ program: "/usr/bin/heif-enc", args: [...quality, ...effort, "-o", "/job/out.heic", inside] });
  if (end.exitCode !== 0) throw new FilemillError("INVALID_INPUT", "The picture is damaged or is not a PNG.");
  await session.adopt("out.heic");
}

async function decode(sandbox: Sandbox, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const pictures = await noteWhatIsLost(session, task);
  const quality = task.hop.to === "jpg" ? ["-q", String(numberOption(task.options, "quality") ?? 90)] : [];
  const end = await session.run({
    program: "/usr/bin/heif-convert",
    args: ["--quiet", ...quality, inputInside, `/job/out.${task.hop.to}`],
  });
  if (end.exitCode !== 0) throw new FilemillError("INVALID_INPUT", "The picture is damaged, or packed in a way that cannot be read.");
  // Several pictures come out numbered.
  await session.adopt(pictures > 1 ? `out-1.${task.hop.to}` : `out.${task.hop.to}`);
}

/** How many pictures there are. */
async function noteWhatIsLost(session: ToolSession, task: HopTask): Promise<number> {
  const end = await session.run({ program: "/usr/bin/heif-info", args: [inputInside] });
  if (end.exitCode !== 0) throw new FilemillError("INVALID_INPUT", "The picture is damaged, or packed in a way that cannot be read.");
  const pictures = [...end.stdout.matchAll(/^image: \d+x\d+/gm)].length;
  if (pictures > 1) task.note("PAGES_LEFT_OUT", `Only the first of ${pictures} pictures was converted.`);
  // The tool would show what is under it, which nobody has ever seen; by way of PNG it is flattened.
  if (task.hop.to === "jpg" && /alpha channel: yes/.test(end.stdout)) {
    throw new FilemillError("CONVERSION_FAILED", "The picture has transparency, which could not be flattened.");
  }
  return pictures;
}

export const libheifEngine = defineEngine({
  id: "libheif",
  label: "libheif",
  lane: "image",
  packages: ["libheif-examples"],
  hops,
  async probe(sandbox) {
    const line = await versionLineOf(sandbox, "/usr/bin/heif-enc", ["--list-encoders"]);
    if (line === undefined) return undefined;
    const help = await sandbox.run({ program: "/usr/bin/heif-convert", args: ["--help"], limits: { wallMs: 10_000 } });
    return /libheif version: (\d[\d.]*)/.exec(`${help.stdout}${help.stderr}`)?.[1];
  },
  async open({ sandbox }) {
    return {
      run: (task) => (task.hop.to === "heic" ? encode(sandbox, task) : decode(sandbox, task)),
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
});
