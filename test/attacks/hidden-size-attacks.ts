/** Classes HE3, JX3, DA10 and Z4: files with small declared sizes whose content is large or endless. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tarFile } from "#test/harness/tar-file.ts";
import { type Attack, attackOn } from "./attack.ts";
import { honestPage, statedPage, swellingPage } from "./parquet-bomb.ts";

/** A black picture of 16,384 × 16,384 pixels whose boxes declare 64 × 64. */
function understatedHeic(): Buffer {
  const bytes = readFileSync(new URL("./files/vast-256-megapixels.heic", import.meta.url));
  for (let at = bytes.indexOf("ispe"); at > 0; at = bytes.indexOf("ispe", at + 4)) {
    bytes.writeUInt32BE(64, at + 8);
    bytes.writeUInt32BE(64, at + 12);
  }
  return bytes;
}

/** Declares 8 × 8 pixels, with a frame of `side` × `side` that is cropped to them. @see ISO/IEC 18181-1, FrameHeader */
function croppedJxl(side: number): Buffer {
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let bit = 0; bit < count; bit++) bits.push(Math.floor(value / 2 ** bit) % 2);
  };
  const align = (): void => {
    while (bits.length % 8 !== 0) bits.push(0);
  };
  // Size: small, height 1 × 8, width equal. Then default metadata and transform.
  for (const [value, count] of [
    [1, 1],
    [0, 5],
    [1, 3],
    [1, 1],
    [1, 1],
  ] as const)
    put(value, count);
  align();
  // Non-default: a regular frame, DCT, no flags, no upsampling, both scales 2, one pass.
  for (const [value, count] of [
    [0, 1],
    [0, 2],
    [0, 1],
    [0, 2],
    [0, 2],
    [2, 3],
    [2, 3],
    [0, 2],
  ] as const)
    put(value, count);
  // A frame size of its own, starting at the corner.
  put(1, 1);
  for (let corner = 0; corner < 2; corner++) put(0, 10);
  for (let length = 0; length < 2; length++) {
    put(3, 2);
    put(side - 18_688, 30);
  }
  // Blend mode replace, last frame, no name, default filters, no extensions.
  for (const [value, count] of [
    [0, 2],
    [1, 1],
    [0, 2],
    [1, 1],
    [0, 2],
  ] as const)
    put(value, count);
  // The table of its groups: in order, all empty.
  put(0, 1);
  align();
  const bytes = Buffer.alloc(2 + bits.length / 8 + 200_000);
  bytes.writeUInt16BE(0xff0a);
  for (const [place, bit] of bits.entries()) bytes[2 + (place >> 3)] = (bytes[2 + (place >> 3)] ?? 0) | (bit << (place & 7));
  return bytes;
}

/**
 * Frames are byte-aligned, so those of a valid animation can be repeated: after
 * the header, two pictures of 4,096 × 4,096 pixels repeatedly, and a last one.
 */
function endlessJxl(rounds: number): Buffer {
  const animation = readFileSync(new URL("./files/animation-4096.jxl", import.meta.url));
  const [head, round] = [10, 2973 + 2717];
  return Buffer.concat([
    animation.subarray(0, head),
    ...Array<Buffer>(rounds).fill(animation.subarray(head, head + round)),
    animation.subarray(head + 2 * round),
  ]);
}

const sectorBytes = 2048;

/** A disc image whose innermost folder is the outermost again. @see ECMA-119 9.1 (directory records) */
function loopedDisc(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "filemill-disc-"));
  try {
    mkdirSync(join(folder, "OUTER/INNER"), { recursive: true });
    writeFileSync(join(folder, "OUTER/INNER/A.TXT"), "a");
    const args = ["-cf", "disc", "--format=iso9660", "--options=iso9660:!rockridge,iso9660:!joliet", "OUTER"];
    execFileSync("bsdtar", args, { cwd: folder });
    const disc = readFileSync(join(folder, "disc"));
    const outer = folderAt(disc, disc.readUInt32LE(16 * sectorBytes + 156 + 2), "OUTER");
    const inner = folderAt(disc, disc.readUInt32LE(outer + 2), "INNER");
    disc.copy(disc, inner + 2, outer + 2, outer + 18);
    return disc;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where the record of a folder is, in the folder that starts at a sector. */
function folderAt(disc: Buffer, sector: number, name: string): number {
  for (let at = sector * sectorBytes; disc[at] !== 0; at += disc.readUInt8(at)) {
    if (disc.toString("latin1", at + 33, at + 33 + disc.readUInt8(at + 32)) === name) return at;
  }
  throw new Error(`no folder ${name}`);
}

export const hiddenSizeAttacks: readonly Attack[] = [
  attackOn("libheif")(
    "HE3-understated",
    "a HEIC of 268 megapixels whose boxes say 64 by 64",
    "a.heic",
    understatedHeic,
    "is bounded",
    ["png", "jpg"],
    { query: "from=heic" },
  ),
  attackOn("libjxl")("JX3-cropped", "a JPEG XL of 8 by 8 whose frame has 3.6 gigapixels", "a.jxl", () => croppedJxl(60_000), "is bounded", [
    "png",
    "jpg",
  ]),
  attackOn("libjxl")("JX3-largest", "the same with 10¹⁸ pixels", "a.jxl", () => croppedJxl(2 ** 30), "is bounded", ["png"]),
  attackOn("libjxl")("JX3-frames", "a JPEG XL of 800 frames of 17 megapixels in 2 MB", "a.jxl", () => endlessJxl(400), "is bounded", [
    "png",
    "jpg",
  ]),
  attackOn("data")("DA10-honest", "a Parquet file made as the next two are, without their trap", "a.parquet", honestPage, "converts", [
    "json",
  ]),
  attackOn("data")("DA10-page", "a Parquet page of a kilobyte that swells to half a gigabyte", "a.parquet", swellingPage, "is bounded", [
    "json",
    "csv",
  ]),
  attackOn("data")("DA10-stated", "a Parquet page of nine bytes that says two gigabytes", "a.parquet", statedPage, "is bounded", ["json"]),
  attackOn("archive")("Z4-disc", "a disc image whose innermost folder is its outermost", "a.iso", loopedDisc, "is bounded", ["zip", "tar"]),
  attackOn("archive")(
    "Z4-controls",
    "names that command a terminal or are of several lines",
    "a.tar",
    () =>
      tarFile([
        { name: "a\x1b[2J\x1b]0;x\x07.txt", content: "x" },
        { name: "b\n../../slip", content: "x" },
      ]),
    "INVALID_INPUT",
    ["zip", "7z"],
  ),
];
