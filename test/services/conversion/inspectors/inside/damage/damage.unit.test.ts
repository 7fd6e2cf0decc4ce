import { expect, it } from "vitest";
import { damageOf } from "#services/conversion/inspectors/inside/damage/damage.ts";

async function found(format: string, bytes: Buffer) {
  const read = async (at: number, count: number) => bytes.subarray(at, at + count);
  return await damageOf({ sizeBytes: bytes.length, head: bytes.subarray(0, 65_536), read }, format);
}

/** Transport packets of one track: pictures of eleven packets each, numbered from `first`. */
function packets(count: number, first = 0): readonly Buffer[] {
  return Array.from({ length: count }, (_, place) => {
    const isStart = place % 11 === 0;
    const packet = Buffer.alloc(188, 0xaa);
    packet.set([0x47, isStart ? 0x41 : 0x01, 0x00, 0x10 | ((first + place) & 15)]);
    if (isStart) packet.set([0, 0, 1, 0xe0, ...[0x07, 0xe2]], 4);
    return packet;
  });
}
const whole = packets(110);

it.each([
  ["a whole transport stream", whole, { places: 0, isOpen: false }],
  ["two joined ones", [...whole, ...packets(55, 7)], { places: 0, isOpen: false }],
  ["lost packets", [...whole.slice(0, 30), ...whole.slice(35)], { places: 1, isOpen: false }],
  ["zeros", [...whole.slice(0, 30), Buffer.alloc(188 * 3), ...whole.slice(33)], { places: 1, isOpen: false }],
  ["a last picture that is cut off", whole.slice(0, 95), { places: 0, isOpen: true }],
  ["a last packet that is cut off", [...whole, packets(1)[0]?.subarray(0, 100) ?? ""], { places: 0, isOpen: true }],
  ["a recording that begins and ends within pictures", whole.slice(5, 95), { places: 0, isOpen: false }],
])("finds in %s what is missing", async (_, parts, damage) => {
  expect(await found("mpegts", Buffer.concat(parts.map((part) => Buffer.from(part))))).toEqual(damage);
});

const frame = (): Buffer => Buffer.concat([Buffer.from("fffb9000", "hex"), Buffer.alloc(413, 0x55)]);
const frames = (count: number): readonly Buffer[] => Array.from({ length: count }, frame);
const id3 = Buffer.concat([Buffer.from("49443304000000000020", "hex"), Buffer.from("fffb9000".repeat(8), "hex")]);
/** A tag of 80,000 bytes. */
const cover = Buffer.concat([Buffer.from("49443304000000047100", "hex"), Buffer.alloc(80_000)]);
const id3v1 = Buffer.concat([Buffer.from("TAG"), Buffer.alloc(125)]);

it.each([
  ["tags around", [id3, ...frames(20), id3v1], { places: 0, isOpen: false }],
  ["tags of a joined one within", [id3, ...frames(9), id3v1, id3, ...frames(9)], { places: 0, isOpen: false }],
  ["bytes missing", [...frames(9), frame().subarray(0, 300), ...frames(9)], { places: 1, isOpen: false }],
  ["bytes missing after a large cover", [cover, ...frames(9), frame().subarray(0, 300), ...frames(9)], { places: 1, isOpen: false }],
  ["its last frame cut off", [...frames(9), frame().subarray(0, 300)], { places: 0, isOpen: true }],
  ["something unknown after it", [...frames(9), Buffer.from("LYRICSBEGIN".repeat(50))], { places: 0, isOpen: false }],
])("MP3 with %s", async (_, parts, damage) => {
  expect(await found("mp3", Buffer.concat(parts))).toEqual(damage);
});

it.each([
  ["whole", 0, false],
  ["without its last frames or its trailer", 1, true],
  ["cut off within a frame", 3, true],
])("GIF %s", async (_, missing, isOpen) => {
  const gif = Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=", "base64");
  expect(await found("gif", gif.subarray(0, gif.length - missing))).toEqual({ places: 0, isOpen });
});
