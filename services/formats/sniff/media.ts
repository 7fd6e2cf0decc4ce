/** Containers whose first bytes show the family, and whose content shows the format. */
import { type Content, contentOfFormat } from "./content.ts";
import type { Source } from "./source.ts";

/** ISO base media (ISO/IEC 14496-12): by the brands in the `ftyp` box. MP4 with sound alone is recognised by its name. */
export function isoMediaContentOf(head: Buffer): Content | undefined {
  if (head.toString("latin1", 4, 8) !== "ftyp") return undefined;
  const boxBytes = Math.min(head.readUInt32BE(0), head.length, 512);
  const brands = [brandAt(head, 8)];
  for (let at = 16; at + 4 <= boxBytes; at += 4) brands.push(brandAt(head, at));
  const major = brands[0] ?? "";
  const all = [major, ...brands.slice(1)];
  const exact = majorBrands[major];
  if (exact === "m4a") return contentOfFormat(head.includes("alac", 0, "latin1") ? "alac" : "m4a");
  if (exact !== undefined) return contentOfFormat(exact);
  if (all.some((brand) => brand === "avif" || brand === "avis")) return contentOfFormat("avif");
  if (all.some((brand) => /^(hei[cxms]|hev[cxms]|mif1|msf1)$/.test(brand))) return contentOfFormat("heic");
  if (major.startsWith("3g2")) return contentOfFormat("3g2");
  if (major.startsWith("3g")) return contentOfFormat("3gp");
  return contentOfFormat("mp4");
}

const majorBrands: Readonly<Record<string, string>> = {
  avif: "avif",
  avis: "avif",
  heic: "heic",
  heix: "heic",
  hevc: "heic",
  hevx: "heic",
  qt: "mov",
  M4V: "m4v",
  M4VH: "m4v",
  M4VP: "m4v",
  M4A: "m4a",
  M4B: "m4b",
  F4V: "f4v",
  F4A: "f4a",
  crx: "cr3",
  mif3: "avif",
};

function brandAt(head: Buffer, at: number): string {
  return head.toString("latin1", at, at + 4).replace(/[\0 ]{1,4}$/, "");
}

/** Ogg (RFC 3533): by the codecs of the streams that start in the head. Video takes precedence over sound. */
export function oggContentOf(head: Buffer): Content | undefined {
  if (head.toString("latin1", 0, 4) !== "OggS") return undefined;
  const has = (mark: string) => head.subarray(0, 4096).includes(mark, 0, "latin1");
  if (has("\x80theora") || has("\x01video\0") || has("BBCD\0") || has("OVP80")) return contentOfFormat("ogv");
  if (has("OpusHead")) return contentOfFormat("opus");
  if (has("Speex   ")) return contentOfFormat("spx");
  if (has("\x7fFLAC")) return contentOfFormat("oga");
  return contentOfFormat("ogg");
}

const asfHeader = Buffer.from("3026b2758e66cf11a6d900aa0062ce6c", "hex");
const asfVideoStream = Buffer.from("c0ef19bc4d5bcf11a8fd00805f5c442b", "hex");
const asfAudioStream = Buffer.from("409e69f84d5bcf11a8fd00805f5c442b", "hex");

/** ASF: video if any stream is, otherwise sound. */
export function asfContentOf(head: Buffer): Content | undefined {
  if (!head.subarray(0, 16).equals(asfHeader)) return undefined;
  if (head.includes(asfVideoStream)) return contentOfFormat("wmv");
  return contentOfFormat(head.includes(asfAudioStream) ? "wma" : "asf");
}

/** EA IFF 85 and RIFF: by their form types. */
export function chunkedContentOf(head: Buffer): Content | undefined {
  const group = head.toString("latin1", 0, 4);
  const type = head.toString("latin1", 8, 12);
  if (group === "FORM") {
    const format = formTypes[type];
    // Programs name AIFF-C as they name AIFF.
    return format === undefined ? { format: undefined } : contentOfFormat(format, format === "aifc" ? { under: ["aiff"] } : {});
  }
  if (group !== "RIFF") return undefined;
  const format = riffTypes[type];
  return format === undefined ? { format: undefined } : contentOfFormat(format);
}

const formTypes: Readonly<Record<string, string>> = {
  AIFF: "aiff",
  AIFC: "aifc",
  "8SVX": "8svx",
  MAUD: "maud",
  ILBM: "ilbm",
  "PBM ": "ilbm",
  LWOB: "lwo",
  LWO2: "lwo",
  LWLO: "lwo",
  LXOB: "lxo",
};
const riffTypes: Readonly<Record<string, string>> = { WEBP: "webp", WAVE: "wav", "AVI ": "avi", AVIX: "avi", "AMV ": "amv", RMID: "mid" };

/** MPEG transport stream (ISO/IEC 13818-1): packets of 188 bytes, or of 192 with a time stamp before each. */
export function transportContentOf(head: Buffer): Content | undefined {
  const synced = (first: number, packetBytes: number) => {
    const count = Math.min(5, Math.floor(head.length / packetBytes));
    if (count < 2) return false;
    return Array.from({ length: count }, (_, index) => head[first + index * packetBytes]).every((byte) => byte === 0x47);
  };
  if (synced(0, 188)) return contentOfFormat("ts");
  return synced(4, 192) ? contentOfFormat("m2ts") : undefined;
}

/** MPEG audio and ADTS: two consecutive frames, after an ID3 tag (id3.org) if there is one. */
export async function mpegAudioContentOf(source: Source): Promise<Content | undefined> {
  const { head } = source;
  if (head.toString("latin1", 0, 3) !== "ID3") return framesContentOf(head, 1024);
  const tagBytes =
    head.length < 10
      ? 0
      : ((head.readUInt32BE(6) & 0x7f000000) >>> 3) |
        ((head.readUInt32BE(6) & 0x7f0000) >>> 2) |
        ((head.readUInt32BE(6) & 0x7f00) >>> 1) |
        (head.readUInt32BE(6) & 0x7f);
  const sound = await source.read(10 + tagBytes, 16_384);
  if (sound.toString("latin1", 0, 4) === "fLaC") return contentOfFormat("flac");
  if (sound.toString("latin1", 0, 4) === "TTA1") return contentOfFormat("tta");
  if (sound.toString("latin1", 0, 4) === "MPCK" || sound.toString("latin1", 0, 3) === "MP+") return contentOfFormat("mpc");
  return framesContentOf(sound, 4096) ?? contentOfFormat("mp3", { orNamed: ["aac"] });
}

function framesContentOf(bytes: Buffer, searchBytes: number): Content | undefined {
  const end = Math.min(searchBytes, bytes.length - 4);
  for (let at = 0; at < end; at++) {
    if (bytes[at] !== 0xff) continue;
    const frame = frameAt(bytes, at);
    if (frame === undefined) continue;
    const next = frameAt(bytes, at + frame.bytes);
    if (next?.format === frame.format || (at === 0 && at + frame.bytes >= bytes.length)) return contentOfFormat(frame.format);
  }
  return undefined;
}

type Frame = { readonly format: "mp3" | "mp2" | "aac"; readonly bytes: number };

function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (at + 6 > bytes.length) return undefined;
  const header = bytes.readUInt32BE(at);
  if (header >>> 20 !== 0xfff && header >>> 21 !== 0x7ff) return undefined;
  const layer = (header >>> 17) & 3;
  if (layer === 0) return adtsFrameAt(bytes, at);
  const version = (header >>> 19) & 3;
  const bitrateIndex = (header >>> 12) & 15;
  const rate = [44_100, 48_000, 32_000][(header >>> 10) & 3];
  if (version === 1 || layer === 3 || bitrateIndex === 0 || bitrateIndex === 15 || rate === undefined) return undefined;
  const table = version === 3 ? (layer === 1 ? bitrates.layer3 : bitrates.layer2) : bitrates.low;
  const kbits = table[bitrateIndex] ?? 0;
  const sampleRate = rate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 1 && version !== 3 ? 72 : 144;
  return { format: layer === 1 ? "mp3" : "mp2", bytes: Math.floor((samples * kbits * 1000) / sampleRate) + ((header >>> 9) & 1) };
}

/** In kbit/s, by the index in the frame header. Layers II and III of MPEG 2 and 2.5 share one row. */
const bitrates = {
  layer2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  layer3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  low: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;

function adtsFrameAt(bytes: Buffer, at: number): Frame | undefined {
  if (((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0 || ((bytes[at + 2] ?? 0) & 0x3c) > 0x30) return undefined;
  const length = ((bytes.readUInt32BE(at + 2) >>> 5) & 0x1fff) >>> 0;
  return length < 7 ? undefined : { format: "aac", bytes: adtsBytes(bytes, at) };
}

/** Thirteen bits, starting with the last two of the fourth byte. */
function adtsBytes(bytes: Buffer, at: number): number {
  return (((bytes[at + 3] ?? 0) & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >>> 5);
}
