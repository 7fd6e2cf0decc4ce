/** TIFFs that ImageMagick silently misreads. */
import type { HopTask, OpenEngine } from "#services/conversion/domain/engine.ts";
import { EngineFault } from "#services/conversion/domain/failure.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";
import { numberOption } from "../shared/hop-table.ts";

/** Whether ImageMagick would misinterpret the samples of a TIFF. */
export async function isMisread(inspector: Inspector, { hop, input, options, signal }: HopTask): Promise<boolean> {
  const more = hop.to === "tiff" ? {} : { page: numberOption(options, "page") ?? 1 };
  return (await inspector.ask("tiffSamples", [input.path], { more, signal })).isMisread;
}

/** Leaves it to libvips, which reads only one page. */
export async function runMisread(pictures: OpenEngine, task: HopTask): Promise<void> {
  if (task.hop.to !== "tiff" || task.options.compression === "jpeg")
    throw new EngineFault("unexplained", "samples that ImageMagick takes for others");
  await pictures.run(task);
}
