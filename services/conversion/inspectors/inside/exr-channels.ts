/** What ImageMagick leaves out of an OpenEXR. @see The OpenEXR file layout */
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { firstNames } from "#services/conversion/engines/shared/hop-table.ts";
import { contentOf } from "./remote-file.ts";

const headBytes = 2 ** 18;
const [mostParts, mostNamed] = [100, 5];
const severalParts = 0x1000;
/** Of a screen: red, green, blue and white, x and y. @see ITU-R BT.709 */
const usualColours = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329];

type Part = ReadonlyMap<string, Buffer>;

/** The names of channels and parts other than the picture's own, and whether its colours are not those of a screen. */
export async function exrLeftOf(file: ByteSource): Promise<Answer<"exrLeft">> {
  const [first, ...others] = partsOf(await contentOf(file, headBytes));
  const channels = channelsIn(first?.get("channels")).filter((name) => !/^(?:[RGBAY]|RY|BY)$/.test(name));
  const parts = others.map((part, index) => part.get("name")?.toString() ?? `part ${index + 2}`);
  const names = [...channels, ...parts].map((name) => name.slice(0, 60));
  const colours = first?.get("chromaticities");
  const isOther = colours?.length === 32 && usualColours.some((value, index) => Math.abs(colours.readFloatLE(index * 4) - value) > 0.002);
  return { left: firstNames(names, mostNamed), hasOtherColours: isOther };
}

/** Each part's attributes. Those of a damaged file end early. */
function partsOf(head: Buffer): readonly Part[] {
  const parts: Map<string, Buffer>[] = [];
  let at = 8;
  const word = (): string => {
    const end = head.indexOf(0, at);
    if (end < 0) throw new RangeError("cut off");
    const found = head.toString("latin1", at, end);
    at = end + 1;
    return found;
  };
  try {
    do {
      const part = new Map<string, Buffer>();
      parts.push(part);
      for (let name = word(); name !== ""; name = word()) {
        word();
        const start = at + 4;
        at = start + head.readUInt32LE(at);
        part.set(name, head.subarray(start, at));
      }
    } while ((head.readUInt32LE(4) & severalParts) !== 0 && parts.length < mostParts && head.readUInt8(at) !== 0);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return parts;
}

function channelsIn(list: Buffer = Buffer.alloc(0)): readonly string[] {
  const names: string[] = [];
  for (let at = 0, end = list.indexOf(0); end > at; end = list.indexOf(0, at)) {
    names.push(list.toString("latin1", at, end));
    // Kind, and sampling across and down.
    at = end + 17;
  }
  return names;
}
