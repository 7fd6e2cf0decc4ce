/** A PDF around a JPEG whose bytes stay as they are, its colour profile with them. */
import { readFile, writeFile } from "node:fs/promises";
import { FilemillError } from "#kit/errors.ts";

type Packed = {
  readonly width: number;
  readonly height: number;
  readonly components: number;
  readonly isInverted: boolean;
  readonly profile: Buffer;
};

const colourSpaces: Readonly<Record<number, string>> = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" };
const profileMark = "ICC_PROFILE\0";

/** @see ITU-T T.81, B.2; ICC.1, B.4 for the parts of a profile; Adobe TN 5116 for colours stored as what is left white. */
function packedOf(bytes: Buffer): Packed {
  const parts: [number, Buffer][] = [];
  let isAdobe = false;
  for (let at = 2; at + 10 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0;
    if (bytes[at] !== 0xff || marker === 0xff) {
      at += 1;
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    // Baseline, extended and progressive, with eight bits: what DCTDecode knows (ISO 32000-1, 7.4.8).
    if (marker >= 0xc0 && marker <= 0xc2 && bytes[at + 4] === 8) {
      const components = bytes[at + 9] ?? 0;
      const profile = Buffer.concat(parts.toSorted(([a], [b]) => a - b).map(([, part]) => part));
      const [width, height] = [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
      return { width, height, components, isInverted: isAdobe && components === 4, profile };
    }
    if (marker === 0xda || (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xcc && marker !== 0xc8)) break;
    const content = bytes.subarray(at + 4, end);
    if (marker === 0xee && content.toString("latin1", 0, 5) === "Adobe") isAdobe = true;
    if (marker === 0xe2 && content.toString("latin1", 0, 12) === profileMark) parts.push([content[12] ?? 0, content.subarray(14)]);
    at = end;
  }
  throw new FilemillError("INVALID_INPUT", "The picture is damaged, or a JPEG of a kind that PDF cannot hold.");
}

/**
 * Writes the PDF. `box` and `matrix` are the page and the place of the picture on it, as PDF operands.
 *
 * @throws FilemillError INVALID_INPUT.
 */
export async function writeJpegPage(inputPath: string, outputPath: string, box: string, matrix: string): Promise<void> {
  const jpeg = await readFile(inputPath);
  const { width, height, components, isInverted, profile } = packedOf(jpeg);
  const space = colourSpaces[components];
  if (space === undefined) throw new FilemillError("INVALID_INPUT", "The picture is a JPEG of a kind that PDF cannot hold.");
  const colours = profile.length === 0 ? `/${space}` : "[/ICCBased 6 0 R]";
  const content = Buffer.from(`q\n${matrix} cm\n/Im0 Do\nQ\n`);
  const decode = isInverted ? " /Decode [1 0 1 0 1 0 1 0]" : "";
  const picture = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8 /ColorSpace ${colours}${decode} /Filter /DCTDecode`;
  const objects: (string | readonly [dictionary: string, stream: Buffer])[] = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Resources << /XObject << /Im0 5 0 R >> >> /Contents 4 0 R >>`,
    ["", content],
    [picture, jpeg],
    ...(profile.length === 0 ? [] : [[`/N ${components}`, profile] as const]),
  ];
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1")];
  let length = parts[0]?.length ?? 0;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  const offsets = objects.map((object, index) => {
    const offset = length;
    add(Buffer.from(`${index + 1} 0 obj\n`));
    if (typeof object === "string") add(Buffer.from(`${object}\n`));
    else {
      add(Buffer.from(`<< ${object[0]} /Length ${object[1].length} >>\nstream\n`));
      add(object[1]);
      add(Buffer.from("\nendstream\n"));
    }
    add(Buffer.from("endobj\n"));
    return offset;
  });
  const count = objects.length + 1;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const start = length;
  add(Buffer.from(`xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`));
  await writeFile(outputPath, Buffer.concat(parts), { flag: "wx" });
}
