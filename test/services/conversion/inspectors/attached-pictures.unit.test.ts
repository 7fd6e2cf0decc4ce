import { expect, it } from "vitest";
import { noteMetadata } from "#services/conversion/domain/picture-metadata.ts";
import { pictureMetadataOf } from "#services/conversion/inspectors/inside/picture-metadata.ts";

const sourceOf = (bytes: Buffer) => ({
  sizeBytes: bytes.length,
  head: bytes.subarray(0, 65_536),
  read: async (offset: number, length: number) => bytes.subarray(offset, offset + length),
});

function segment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}
const xmp = (text: string) => segment(0xe1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>${text}</x:xmpmeta>`));
const jpegOf = (...segments: readonly Buffer[]) =>
  Buffer.concat([Buffer.from("ffd8", "hex"), ...segments, Buffer.from("ffda0002ffd9", "hex")]);
const film = Buffer.from("\0\0\0\x10ftypisom\0\0\0\0", "latin1");

/** With one more picture, of a kind of CIPA DC-007. */
function multiPicture(kind: number, other: Buffer): Buffer {
  const tiff = Buffer.alloc(26 + 32);
  tiff.write("MM\0*\0\0\0\x08", "latin1");
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0xb002, 10);
  for (const [at, value] of [
    [14, 32],
    [18, 26],
    [42, kind],
    [46, other.length],
  ] as const)
    tiff.writeUInt32BE(value, at);
  const whole = () => jpegOf(segment(0xe2, Buffer.concat([Buffer.from("MPF\0"), tiff])));
  // Counted from the structure, which follows 10 bytes.
  tiff.writeUInt32BE(whole().length - 10, 50);
  return Buffer.concat([whole(), other]);
}

const items = (semantic: string, length: number) =>
  xmp(
    `<Container:Item Item:Semantic="Primary" Item:Length="0"/><Container:Item Item:Semantic="${semantic}" Item:Length="${length}"></Container:Item>`,
  );

const extension = "http://ns.adobe.com/xmp/extension/";
const credentialed = jpegOf(segment(0xeb, Buffer.from("JP\0\x01\0\0\0\x01\0\0\0\x1djumb\0\0\0\x1djumdc2pa\0", "latin1")));
const caption = Buffer.from("8BIM\x04\x04\0\0\0\0\0\x0a\x1c\x02\x78\0\x05quoll", "latin1");
const captions = [caption.subarray(0, 13), caption.subarray(13)].map((part) =>
  segment(0xed, Buffer.concat([Buffer.from("Photoshop 3.0\0"), part])),
);

function samsung(...kinds: readonly number[]): Buffer {
  const list = Buffer.alloc(12 + kinds.length * 12);
  list.write("SEFH", "latin1");
  for (const [index, kind] of kinds.entries()) list.writeUInt16LE(kind, 14 + index * 12);
  const end = Buffer.from("\0\0\0\0SEFT", "latin1");
  end.writeUInt32LE(list.length);
  return Buffer.concat([list, end]);
}

async function lostOf(source: Buffer, format: string, options = {}) {
  const told = await pictureMetadataOf(sourceOf(source), sourceOf(Buffer.alloc(0)), { from: format, to: "png" });
  const notes: (string | undefined)[] = [];
  const file = { path: "", format };
  await noteMetadata({ metadata: async () => told }, file, { path: "", format: "png" }, options, (_, message) => void notes.push(message));
  return notes.join(" ");
}

it.each([
  ["a gain map", multiPicture(0, jpegOf(xmp(' hdrgm:Version="1.0"'))), "the gain map for HDR screens"],
  ["Apple's gain map", multiPicture(0, jpegOf(xmp("<HDRGainMap:HDRGainMapVersion>"))), "the gain map for HDR screens"],
  ["another view", multiPicture(0x020003, jpegOf()), "further pictures"],
  ["a film", Buffer.concat([jpegOf(items("MotionPhoto", film.length)), film]), "the film of the motion photo; XMP"],
  ["an older film", Buffer.concat([jpegOf(xmp(` GCamera:MicroVideoOffset="${film.length}"`)), film]), "the film of the motion photo; XMP"],
  [
    "a thermal camera",
    jpegOf(segment(0xe1, Buffer.from("FLIR\0\x01\0\0"))),
    "what only the camera's own programs read, such as temperatures",
  ],
  ["the rest of long XMP", jpegOf(segment(0xe1, Buffer.from(`${extension}\0${"0".repeat(32)}`))), "the extended part of XMP"],
  ["credentials", credentialed, "valid Content Credentials (C2PA)"],
  ["what Photo Mechanic appends", Buffer.concat([jpegOf(), Buffer.from("cbipcbbl")]), "what other programs appended to the file"],
  ["a film in Samsung's trailer", Buffer.concat([jpegOf(), samsung(0x0a01, 0x0a30)]), "the film of the motion photo"],
  ["captions over two segments", jpegOf(...captions), "IPTC"],
])("names %s in the file of a JPEG", async (_, bytes, named) => {
  expect(await lostOf(bytes, "jpg")).toBe(`Not carried over: ${named}.`);
});

it.each([
  ["a preview", multiPicture(0x010002, jpegOf())],
  ["a picture that is not in the file", multiPicture(0, Buffer.alloc(0))],
  ["the time in Samsung's trailer", Buffer.concat([jpegOf(), samsung(0x0a01)])],
])("does not count %s", async (_, bytes) => {
  expect(await lostOf(bytes, "jpg")).toBe("");
});

it("counts a film only if it is there", async () => {
  expect(await lostOf(jpegOf(items("MotionPhoto", 16)), "jpg")).toBe("Not carried over: XMP.");
});

it("names what is lost with the metadata on request, except the metadata", async () => {
  const bytes = Buffer.concat([jpegOf(items("MotionPhoto", film.length)), film]);
  expect(await lostOf(bytes, "jpg", { metadata: "strip" })).toBe("Not carried over: the film of the motion photo.");
});

function box(kind: string, ...content: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + Buffer.concat(content).length);
  head.write(kind, 4, "latin1");
  return Buffer.concat([head, ...content]);
}
const heicOf = (item: string, name: string) =>
  Buffer.concat([
    box("ftyp", Buffer.from("heic\0\0\0\0")),
    box(
      "meta",
      Buffer.alloc(4),
      box("iloc", Buffer.alloc(8)),
      box("iinf", Buffer.from([0, 0, 0, 0, 0, 1]), box("infe", Buffer.from(`\x02\0\0\0\0\x01\0\0${item}\0`, "latin1"))),
      box("iprp", box("ipco", box("auxC", Buffer.alloc(4), Buffer.from(`${name}\0`)))),
    ),
  ]);

it.each([
  ["hvc1", "urn:com:apple:photo:2020:aux:hdrgainmap", "the gain map for HDR screens"],
  ["tmap", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "the gain map for HDR screens"],
  ["hvc1", "urn:mpeg:hevc:2015:auxid:2", "the depth map"],
  ["hvc1", "urn:com:apple:photo:2018:aux:portraiteffectsmatte", "masks of the subject"],
])("names what a HEIC holds by an item %s and the name %s", async (item, name, named) => {
  expect(await lostOf(heicOf(item, name), "heic")).toBe(`Not carried over: ${named}.`);
});

it("does not name transparency", async () => {
  expect(await lostOf(heicOf("hvc1", "urn:mpeg:hevc:2015:auxid:1"), "heic")).toBe("");
});

it("names credentials that are in the result, but are not valid for it", async () => {
  const turned = Buffer.concat([credentialed, Buffer.alloc(1)]);
  const between = (result: Buffer) => pictureMetadataOf(sourceOf(credentialed), sourceOf(result), { from: "jpg", to: "jpg" });
  expect(await between(turned)).toEqual({ source: ["credentials"], result: [] });
  expect(await between(credentialed)).toEqual({ source: ["credentials"], result: ["credentials"] });
});

it("names the gain map of a JPEG XL that was made of a JPEG", async () => {
  const packet = Buffer.from('<x:xmpmeta><Container:Item Item:Semantic="GainMap" Item:Length="9"/></x:xmpmeta>');
  const jxl = Buffer.concat([box("JXL ", Buffer.alloc(4)), box("jbrd", Buffer.alloc(9)), box("xml ", packet)]);
  expect(await lostOf(jxl, "jxl")).toBe("Not carried over: the gain map for HDR screens; XMP.");
});

it("does not name what a JPEG XL only may hold", async () => {
  expect(await lostOf(Buffer.concat([box("JXL ", Buffer.alloc(4)), box("jbrd", Buffer.alloc(9))]), "jxl")).toBe("");
});
