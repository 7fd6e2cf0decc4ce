/** What a PDF has to state about a JPEG that it contains. */
import { FilemillError } from "#contract/errors.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { contentOf } from "./remote-file.ts";

/** All parts of a profile, at most 255, and everything else before the picture. */
const headBytes = 24 * 2 ** 20;
const profileMark = "ICC_PROFILE\0";

/** @see ITU-T T.81, B.2; ICC.1, B.4 for the parts of a profile; Adobe TN 5116 for inverted colours. */
export async function jpegFrameOf(file: ByteSource): Promise<Answer<"jpegFrame">> {
  const bytes = await contentOf(file, headBytes);
  const parts: [number, readonly number[]][] = [];
  let isAdobe = false;
  for (let at = 2; at + 10 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || marker === 0xff) {
      at += 1;
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    // Baseline, extended and progressive, with eight bits: what DCTDecode supports (ISO 32000-1, 7.4.8).
    if (marker >= 0xc0 && marker <= 0xc2 && bytes[at + 4] === 8) {
      const components = bytes[at + 9] ?? 0;
      const profile = parts.toSorted(([a], [b]) => a - b).map(([, part]) => part);
      const [width, height] = [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
      return { width, height, components, isInverted: isAdobe && components === 4, profile };
    }
    if (marker === 0xda || (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xcc && marker !== 0xc8)) break;
    const content = bytes.subarray(at + 4, end);
    if (marker === 0xee && content.toString("latin1", 0, 5) === "Adobe") isAdobe = true;
    // There can be no more parts than part numbers.
    if (parts.length < 256 && marker === 0xe2 && content.toString("latin1", 0, 12) === profileMark)
      parts.push([content[12] ?? 0, [at + 18, Math.max(0, content.length - 14)]]);
    at = end;
  }
  throw new FilemillError("INVALID_INPUT", "The picture is damaged, or a kind of JPEG that PDF does not support.");
}
