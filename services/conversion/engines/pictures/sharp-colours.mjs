// Runs inside the sandbox, beside sharp-child.mjs: turns colours that a picture declares by numbers into an ICC profile for libvips.
import { crc32, deflateSync } from "node:zlib";
import { heifProperties } from "./heif-boxes.mjs";
import { profileOf, srgbLight } from "./icc-profile.mjs";

const d65 = [0.3127, 0.329];
const bt709 = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, ...d65];
/** By the code points of ITU-T H.273, table 2; all others are (nearly) those of ordinary screens. */
const primariesOf = {
  4: [0.67, 0.33, 0.21, 0.71, 0.14, 0.08, 0.31, 0.316],
  9: [0.708, 0.292, 0.17, 0.797, 0.131, 0.046, ...d65],
  11: [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.314, 0.351],
  12: [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, ...d65],
};
/** By the code points of table 3; all others are treated as sRGB. */
const lightsOf = {
  4: (value) => value ** 2.2,
  5: (value) => value ** 2.8,
  8: (value) => value,
  16: (value) => toned(quantisedLight(value) / whiteLight),
  18: (value) => toned((hybridLight(value) * hybridPeak) / whiteLight),
};
const isHdrTransfer = (transfer) => transfer === 16 || transfer === 18;

/** BT.2408: luminance of a white page in cd/m², which is mapped to the white of an ordinary screen. */
const whiteLight = 203;
/** Up to this share of white, a picture stays as it is; brighter parts, up to the peak, are compressed. Films get the same curve. */
const [keptShare, peak] = [0.7, 10];
const hybridPeak = 1000;

/** SMPTE ST 2084 (PQ), in cd/m². */
function quantisedLight(value) {
  const power = value ** (1 / 78.84375);
  return 10_000 * (Math.max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power)) ** (1 / 0.1593017578125);
}

/** ARIB STD-B67 (HLG) on a screen of 1000 cd/m², for each channel separately; as a share of the peak. */
function hybridLight(value) {
  const scene = value <= 0.5 ? (value * value) / 3 : (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12;
  return scene ** 1.2;
}

/** Möbius curve: linear at first, then bent so that the peak becomes white. */
function toned(light) {
  if (light <= keptShare) return light;
  const square = keptShare * keptShare;
  const a = (-square * (peak - 1)) / (square - 2 * keptShare + peak);
  const b = (square - 2 * keptShare * peak + peak) / (peak - 1);
  return ((b * b + 2 * b * keptShare + square) / (b - a)) * ((light + a) / (light + b));
}

/**
 * The colours of code points for primaries and transfer, such as "9/16", that an engine read in the source.
 *
 * @param {string | undefined} numbers
 */
export function coloursOf(numbers) {
  return numbers === undefined ? undefined : numbered(numbers.split("/").map(Number), false);
}

/**
 * The colours that a picture declares by numbers rather than by a profile; undefined if it does not, or for sRGB.
 *
 * @param {string} from
 * @param {Buffer} bytes - Its beginning is enough.
 * @returns {{ profile: () => Buffer, isHdr: boolean, numbers?: readonly number[] } | undefined} numbers: code points of ITU-T H.273.
 */
export function namedColours(from, bytes) {
  try {
    if (from === "png") return pngColours(bytes);
    return /^(avif|heic)$/.test(from) ? heifColours(bytes) : undefined;
  } catch (error) {
    // Truncated, which the decoder will report.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function numbered([primaries, transfer], isGrey) {
  if (primariesOf[primaries] === undefined && lightsOf[transfer] === undefined) return undefined;
  return {
    numbers: [primaries, transfer],
    isHdr: isHdrTransfer(transfer),
    profile: () =>
      profileOf({ name: "named", primaries: primariesOf[primaries] ?? bt709, lightOf: lightsOf[transfer] ?? srgbLight, isGrey }),
  };
}

/** In order of precedence: cICP, iCCP, sRGB, then gAMA with cHRM. @see PNG third edition, 4.3 and 11.3.2 */
function pngColours(bytes) {
  const chunks = new Map();
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    const kind = bytes.toString("latin1", at + 4, at + 8);
    if (kind === "IDAT") break;
    chunks.set(kind, bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  const isGrey = (bytes[25] & 2) === 0;
  const cicp = chunks.get("cICP");
  if (cicp?.length === 4) return numbered(cicp, isGrey);
  if (chunks.has("iCCP") || chunks.has("sRGB")) return undefined;
  const [gamma, corners] = [chunks.get("gAMA"), chunks.get("cHRM")];
  const power = gamma?.length === 4 ? 100_000 / gamma.readUInt32BE(0) : 0;
  // cHRM stores white first.
  const primaries = corners?.length === 32 ? [8, 12, 16, 20, 24, 28, 0, 4].map((at) => corners.readUInt32BE(at) / 100_000) : bt709;
  const isWide = primaries.some((value, index) => Math.abs(value - bt709[index]) > 0.01);
  const isMeant = power > 0.2 && power < 5;
  // Programs write sRGB as 1/2.2.
  if (!isWide && (!isMeant || Math.abs(power - 2.2) < 0.11)) return undefined;
  if (primaries.some((value, index) => value <= 0 && index % 2 === 1)) return undefined;
  const lightOf = isMeant ? (value) => value ** power : srgbLight;
  return { isHdr: false, profile: () => profileOf({ name: "named", primaries, lightOf, isGrey }) };
}

/** The code points of the first picture that has any, unless a picture has a profile. @see ISO/IEC 14496-12, 12.1.5, and 23008-12, 6.5.5 */
function heifColours(bytes) {
  const colours = heifProperties(bytes).filter(({ kind }) => kind === "colr");
  const sorts = colours.map(({ content }) => content.toString("latin1", 0, 4));
  const named = colours[sorts.indexOf("nclx")]?.content;
  if (named === undefined || sorts.some((sort) => sort === "prof" || sort === "rICC")) return undefined;
  return numbered([named.readUInt16BE(4), named.readUInt16BE(6)], false);
}

/** The same PNG with this profile as its only colour information. */
export function withProfile(png, profile) {
  const kept = [png.subarray(0, 33), chunkOf("iCCP", Buffer.concat([Buffer.from("named\0\0", "latin1"), deflateSync(profile)]))];
  for (let at = 33; at + 12 <= png.length; ) {
    const end = at + 12 + png.readUInt32BE(at);
    if (!/^(cICP|iCCP|sRGB|gAMA|cHRM)$/.test(png.toString("latin1", at + 4, at + 8))) kept.push(png.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

function chunkOf(kind, data) {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length);
  chunk.write(kind, 4, "latin1");
  data.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}
