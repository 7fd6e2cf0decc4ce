/** Converts pictures for tools that treat all values as sRGB: their actual colour space is looked up first. */
import type { EngineHost, HopTask, OpenEngine } from "#services/conversion/domain/engine.ts";
import { stepFile } from "../shared/tool-run.ts";
import { openSharpChildren } from "./sharp-children.ts";

type Host = Pick<EngineHost, "inspector"> & { readonly pictures: OpenEngine };

/**
 * Runs `use` with a PNG whose colours the tool understands, and without its metadata if that is to be stripped.
 *
 * @param profile - "keep": the tool understands profiles, but no other colour declarations; "srgb": it understands none, nor every kind of
 *   transparency.
 */
export async function withMeantColours(
  { inspector, pictures }: Host,
  task: HopTask,
  profile: "keep" | "srgb",
  use: (task: HopTask) => Promise<void>,
): Promise<void> {
  const asked = { more: { format: "png" }, signal: task.signal };
  const { isNamed } = await inspector.ask("namedColours", [task.input.path], asked);
  const facts = profile === "srgb" ? await inspector.ask("pictureFacts", [task.input.path], asked) : undefined;
  const isOther = isNamed || facts?.hasProfile === true || facts?.isKeyed === true;
  const metadata = task.options.metadata === "strip" ? "strip" : "keep";
  if (!isOther && metadata === "keep") return await use(task);
  await using made = stepFile(task, "meant");
  const options = { compressionLevel: 1, metadata, profile };
  await pictures.run({ ...task, hop: { ...task.hop, to: "png" }, options, outputPath: made.path });
  await use({ ...task, input: await made.as(task.input.format) });
}

/** An engine whose tool understands no colour declarations in PNG. */
export async function openForPlainColours(host: EngineHost, run: (host: EngineHost, task: HopTask) => Promise<void>): Promise<OpenEngine> {
  const pictures = await openSharpChildren(host, 0);
  return {
    run: (task) =>
      task.hop.from === "png" ? withMeantColours({ ...host, pictures }, task, "srgb", (meant) => run(host, meant)) : run(host, task),
    [Symbol.asyncDispose]: () => pictures[Symbol.asyncDispose](),
  };
}
