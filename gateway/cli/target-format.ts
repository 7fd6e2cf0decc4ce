import { basename, extname } from "node:path";
import { FilemillError } from "#contract/errors.ts";
import { formatOfFileName, formats, parseFormatId } from "#formats/index.ts";
import { didYouMean, nearestIds } from "#kit/nearest-names.ts";

/** The format that the output's name implies. @throws FilemillError UNSUPPORTED_TARGET */
export function formatOfOutput(path: string): string {
  const format = formatOfFileName(basename(path));
  if (format !== undefined) return format.id;
  const near = nearestIds(extname(path), formats);
  const message = `The output's extension is not that of a known format${didYouMean(near, "; add --to FORMAT.")}`;
  throw new FilemillError("UNSUPPORTED_TARGET", message);
}

/** Checks a format given on the command line. @throws FilemillError UNSUPPORTED_TARGET, UNKNOWN_SOURCE_FORMAT */
export function checkFormat(option: "--from" | "--to", text: string): void {
  if (parseFormatId(text) !== undefined) return;
  const near = didYouMean(nearestIds(text, formats), "; `filemill formats` lists them all.");
  const code = option === "--to" ? "UNSUPPORTED_TARGET" : "UNKNOWN_SOURCE_FORMAT";
  throw new FilemillError(code, `${option} ${text} is not a known format${near}`);
}
