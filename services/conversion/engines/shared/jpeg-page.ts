/** Wraps a JPEG in a PDF without changing its bytes, and keeps its colour profile. */
import { readFile, writeFile } from "node:fs/promises";
import { FilemillError } from "#contract/errors.ts";
import type { HopTask } from "#services/conversion/domain/engine.ts";
import type { Inspector } from "#services/conversion/domain/inspector.ts";

const colourSpaces: Readonly<Record<number, string>> = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" };
/**
 * Writes the PDF. `box` and `matrix` are the page and the placement of the picture on it, as PDF operands.
 *
 * @throws FilemillError INVALID_INPUT.
 */
export async function writeJpegPage(inspector: Inspector, task: HopTask, box: string, matrix: string): Promise<void> {
  const { input, outputPath, signal } = task;
  const { width, height, components, isInverted, profile: parts } = await inspector.ask("jpegFrame", [input.path], { signal });
  const jpeg = await readFile(input.path);
  const profile = Buffer.concat(parts.map(([offset = 0, length = 0]) => jpeg.subarray(offset, offset + length)));
  const space = colourSpaces[components];
  if (space === undefined) throw new FilemillError("INVALID_INPUT", "The picture is a kind of JPEG that PDF does not support.");
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
  const pieces: Buffer[] = [Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1")];
  let length = pieces[0]?.length ?? 0;
  const add = (part: Buffer) => {
    pieces.push(part);
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
  await writeFile(outputPath, Buffer.concat(pieces), { flag: "wx" });
}
