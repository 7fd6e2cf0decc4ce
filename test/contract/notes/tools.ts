/** Programs that create files. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { tiff as greyTiff } from "#test/attacks/tiff-files.ts";

/** With an EXIF directory at the end that gives an ISO speed of 100. */
export const takenTiff = (): Buffer => {
  const { length } = greyTiff([{ 256: 8, 257: 8, 34665: 1 }]);
  const exif = Buffer.from("0100278803000100000064000000" + "00000000", "hex");
  return Buffer.concat([greyTiff([{ 256: 8, 257: 8, 34665: length }]), exif]);
};

const execute = promisify(execFile);

export async function run(program: string, args: readonly string[]): Promise<void> {
  await execute(program, [...args]);
}

export async function ffmpeg(...args: readonly string[]): Promise<void> {
  await run("ffmpeg", ["-nostdin", "-v", "error", "-y", ...args]);
}

export async function magick(...args: readonly string[]): Promise<void> {
  await run("convert-im6.q16", args);
}
