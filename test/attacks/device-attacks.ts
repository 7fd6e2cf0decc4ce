/** Classes RW, IN and MI: camera files, macOS icons and MIDI with sizes and times that no data backs. */
import { readFileSync } from "node:fs";
import { type Attack, attackTo, from } from "./attack.ts";
import { noise, png } from "./picture-files.ts";

const attack = attackTo(["tiff"]);

const typical = (name: string): Buffer => readFileSync(new URL(`../corpus/typical/${name}`, import.meta.url));

/** A camera picture with a changed value in its directory. */
function camera(tag: number, value: number): Buffer {
  const file = Buffer.from(typical("image/typical.dng"));
  const count = file.readUInt16LE(8);
  for (let at = 10; at < 10 + count * 12; at += 12) {
    if (file.readUInt16LE(at) !== tag) continue;
    file.writeUInt16LE(4, at + 2);
    file.writeUInt32LE(value, at + 8);
  }
  return file;
}

function icon(...entries: readonly (readonly [name: string, bytes: number, content: Uint8Array])[]): Buffer {
  const parts = entries.flatMap(([name, bytes, content]) => {
    const head = Buffer.alloc(8);
    head.write(name, "latin1");
    head.writeUInt32BE(bytes, 4);
    return [head, content];
  });
  const body = Buffer.concat(parts);
  const head = Buffer.from("icns\0\0\0\0", "latin1");
  head.writeUInt32BE(body.length + 8, 4);
  return Buffer.concat([head, body]);
}

/** One track with these events. */
function piece(events: string): Buffer {
  const track = Buffer.from(events, "hex");
  const head = Buffer.from("4d546864000000060000000101e04d54726b00000000", "hex");
  head.writeUInt32BE(track.length, 18);
  return Buffer.concat([head, track]);
}

const cameras: readonly Attack[] = [
  attack(
    "libraw",
    "RW1-vast",
    "a camera's picture of four gigapixels, by its directory",
    "a.dng",
    () => camera(257, 12_000_000),
    "is bounded",
    from("dng"),
  ),
  attack("libraw", "RW1-wide", "one with rows of two billion pixels", "a.dng", () => camera(256, 0x7fff_ffff), "is bounded", from("dng")),
  attack(
    "libraw",
    "RW2-outside",
    "one whose pixels lie behind the end of the file",
    "a.dng",
    () => camera(273, 0x7fff_fff0),
    "is bounded",
    from("dng"),
  ),
  attack("libraw", "RW2-ring", "one whose directory holds itself", "a.dng", () => camera(330, 8), "is bounded", from("dng")),
];

const icons: readonly Attack[] = [
  attack(
    "icnsutils",
    "IN1-endless",
    "an icon whose first picture is four gigabytes long",
    "a.icns",
    () => icon(["it32", 0xffff_fff0, noise(Buffer.alloc(64))]),
    "INVALID_INPUT",
    { to: ["png"] },
  ),
  attack(
    "icnsutils",
    "IN1-empty",
    "an icon whose first picture has no length",
    "a.icns",
    () => icon(["ic08", 0, Buffer.alloc(64)]),
    "INVALID_INPUT",
    { to: ["png"] },
  ),
  attack(
    "icnsutils",
    "IN2-vast",
    "an icon with a picture of 3.6 gigapixels, by its header",
    "a.icns",
    () => {
      const picture = png({ width: 60_000, height: 60_000 });
      return icon(["ic10", picture.length + 8, picture]);
    },
    "is bounded",
    { to: ["png", "jpg"] },
  ),
  attack(
    "icnsutils",
    "IN2-many",
    "an icon of a hundred thousand pictures",
    "a.icns",
    () => icon(...Array.from({ length: 100_000 }, () => ["is32", 16, Buffer.alloc(8)] as const)),
    "is bounded",
    { to: ["png"] },
  ),
];

const pieces: readonly Attack[] = [
  attack(
    "fluidsynth",
    "MI1-endless",
    "a piece that waits for a week before its only note",
    "a.mid",
    () => piece(`00ff5103ffffff${"ffffff7f90006400".repeat(16)}00ff2f00`),
    "INPUT_TOO_COMPLEX",
    { to: ["wav"] },
  ),
  attack(
    "fluidsynth",
    "MI1-notes",
    "half a million notes at once",
    "a.mid",
    () => piece(`${"00903c7f".repeat(500_000)}8360ff2f00`),
    "is bounded",
    { to: ["wav"] },
  ),
  attack(
    "fluidsynth",
    "MI2-length",
    "a track that is longer than its file",
    "a.mid",
    () => Buffer.concat([piece("00903c7f"), Buffer.from("4d54726b7fffffff00903c7f", "hex")]),
    "is bounded",
    { to: ["wav"] },
  ),
];

export const deviceAttacks: readonly Attack[] = [...cameras, ...icons, ...pieces];
