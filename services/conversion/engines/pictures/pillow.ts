/** Pictures that ImageMagick or FFmpeg would misread, as PNG by Pillow. */
import { join } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Sandbox } from "#services/conversion/domain/sandbox.ts";
import { throwIfFailed } from "../shared/bad-input.ts";
import { inputInside, openToolSession } from "../shared/tool-run.ts";

const script = "/engine/pillow.py";
const [damaged, unknown, large] = [3, 4, 5];
const kinds: Readonly<Record<string, string>> = { bmp: "BMP", dds: "DDS", psd: "PSD", ras: "SUN", tga: "TGA" };

export const pillowPackages = ["python3", "python3-pil"];
/** Whether Pillow reads all that ImageMagick misreads. */
export const isForPillow = (format: string): boolean => format !== "bmp" && kinds[format] !== undefined;
export const pillowBadInput = [damaged];

export async function runPillow(sandbox: Sandbox, task: HopTask): Promise<void> {
  await using session = await openToolSession(sandbox, task);
  const end = await session.run({
    program: "/usr/bin/python3",
    args: ["-I", script, inputInside, "/job/out", kinds[task.hop.from] ?? ""],
    readOnly: { [join(import.meta.dirname, "pillow.py")]: script },
  });
  if (end.exitCode === unknown)
    throw new FilemillError("CONVERSION_FAILED", "The picture's pixels are stored in a way that could not be read.");
  if (end.exitCode === large)
    throw new FilemillError("INPUT_TOO_COMPLEX", "The picture has more pixels than the safe bound of 100 million.");
  throwIfFailed(end, pillowBadInput, "The picture is damaged or of an unsupported kind.");
  await session.adopt("out");
}

/** LibreOffice and others state more bytes in a BMP than they write, for which ImageMagick refuses it as it does one that is cut off. */
export async function orByPillow(task: HopTask, convert: () => Promise<void>, convertByPillow: () => Promise<void>): Promise<void> {
  try {
    await convert();
  } catch (refusal) {
    if (task.hop.from !== "bmp" || !(refusal instanceof FilemillError) || refusal.code !== "INVALID_INPUT") throw refusal;
    await convertByPillow().catch(() => {
      throw refusal;
    });
  }
}
