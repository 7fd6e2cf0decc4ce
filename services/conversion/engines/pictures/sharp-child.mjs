// Runs inside the sandbox and converts pictures: one line of JSON per request, one per answer. sharp-children.ts starts it.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { pngOfBmp } from "./bmp-samples.mjs";
import { picturesOfFits, pngOfFits } from "./fits-samples.mjs";
import { isCutShort } from "./gif-canvas.mjs";
import { pngOfPam } from "./pam-samples.mjs";
import { withSourceTexts } from "./png-texts.mjs";
import { coloursOf, namedColours } from "./sharp-colours.mjs";
import { encoded } from "./sharp-encoders.mjs";
import { assertFormat, choosePage, Failure, failureOf, failureOfCut } from "./sharp-failures.mjs";
import { fitted } from "./sharp-fitting.mjs";
import { describePng, isCutOff, isMoving, isWhole, plainBytes, stillOf } from "./sharp-headers.mjs";
import {
  asksForNothingElse,
  clearDensity,
  densityOf,
  depthIn,
  flattens,
  isConverted,
  keepMetadata,
  keepsProfile,
  losesGreyDepth,
  noteAlpha,
  setDensity,
  withoutDensity,
  withoutThumbnail,
} from "./sharp-kept.mjs";
import { keepDepth, settled } from "./sharp-settled.mjs";
import { plainSvg } from "./svg-plain.mjs";

const [sharpEntry, threads] = process.argv.slice(2);
const { default: sharp } = await import(sharpEntry);

const maxPixels = 100e6;
/** For all frames of an animation together; they are read one after another. */
const maxAnimationPixels = 400e6;
const animated = new Set(["gif", "webp"]);

sharp.cache(false);

/**
 * Converts strictly at first. A complete file that is merely odd (junk before a marker, a broken tag) converts silently; one whose content
 * is damaged in places gets a note. A truncated file is refused.
 */
async function convertKindly(bytes, request, notes) {
  if (bytes.length === 0) throw new Failure("INVALID_INPUT", "The file is empty.");
  try {
    const result = await convert(bytes, request, notes, "warning");
    // libvips converts the frames that are there.
    if (request.from === "gif" && isCutShort(bytes)) notes.set("INPUT_DAMAGED");
    return result;
  } catch (error) {
    const failure = failureOfCut(error, isCutOff(request.from, bytes));
    // In strict mode any warning is an error, and their wordings cannot all be listed.
    if ((failure.code !== "INVALID_INPUT" && !failure.odd) || !isWhole(request.from, bytes)) throw failure;
    // Another page may have a compression that it lacks.
    const oddOnly = /^VipsJpeg: Corrupt JPEG data: \d+ extraneous bytes|exif|icc|profile|tag|not configured/i.test(error.message);
    notes.clear();
    const result = await convert(bytes, request, notes, "none");
    if (!oddOnly) notes.set("INPUT_DAMAGED");
    return result;
  }
}

/**
 * Encodes what a program drew: one or three channels of eight bits, after "P5" or "P6", width, height and 255.
 *
 * @see https://netpbm.sourceforge.net/doc/ppm.html
 */
function writeDrawn(bytes, { to, options }) {
  const header = /^P([56])\n(\d+) (\d+)\n255\n/.exec(bytes.toString("latin1", 0, 64));
  if (header === null) throw new Failure("INVALID_INPUT", "The page could not be drawn.");
  const first = { width: Number(header[2]), height: Number(header[3]) };
  const isGray = header[1] === "5";
  const raw = { ...first, channels: isGray ? 1 : 3 };
  const image = sharp(bytes.subarray(header[0].length), { raw, limitInputPixels: maxPixels });
  if (isGray) image.pipelineColourspace("b-w").toColourspace("b-w");
  return outputOf(encoded(image.withDensity(options.density), to, options, first), { to, options }, first);
}

async function convert(bytes, request, notes, failOn) {
  const { from, to, options } = request;
  const input = { failOn, limitInputPixels: maxPixels, sequentialRead: true };
  const colours = options.profile === "strip" ? undefined : (coloursOf(options.namedColours) ?? namedColours(from, bytes));
  const known = from === "png" && colours === undefined ? describePng(bytes) : undefined;
  const described = known ?? sharp(bytes, input).metadata();
  if (options.profile === "strip") input.ignoreIcc = true;
  const isSmall = /^(jpg|png)$/.test(from) && bytes.length <= plainBytes;
  const isAsIs = options.maxKb === undefined && options.crop === undefined && options.profile !== "keep";
  const mayBePlain = isSmall && isAsIs && known === undefined && colours === undefined;
  const early = mayBePlain ? outputOf(pipelineOf(bytes, input, request, plain), request, plain) : undefined;
  early?.catch(() => undefined);
  const told = await described;
  assertFormat(from, told.format);
  choosePage(told, request, input);
  const { first, usual: whole } = await settled(sharp, { bytes, input, from, told, colours, notes });
  const usual = withoutThumbnail(whole, first.exif);
  noteWhatIsLost(first, request, notes);
  if (movesOf(first, request)) Object.assign(input, { animated: true, limitInputPixels: maxAnimationPixels });
  if (from === "svg") input.density = densityOf(first, options);
  assertChanges(first, request);
  if (options.maxKb !== undefined) return await withinSize(bytes, usual, input, request, first, notes);
  const isEarlyRight =
    early !== undefined && usual === bytes && first.depth === "uchar" && first.exif === undefined && first.density === undefined;
  const [output] = await Promise.all([
    isEarlyRight ? early : outputOf(pipelineOf(usual, input, request, first), request, first),
    noteAlpha(sharp, usual, input, request, first, notes),
  ]);
  if (request.mayKeep === true && from === to && notes.size === 0 && asksForNothingElse(first, options))
    return smallerOf(bytes, output, notes);
  return output;
}

/** `usual`: the source in a form that libvips can interpret. */
async function withinSize(bytes, usual, input, request, first, notes) {
  const { from, to, options } = request;
  const isKept = bytes.length <= options.maxKb * 1000 && notes.size === 0 && asksForNothingElse(first, options);
  await noteAlpha(sharp, usual, input, request, first, notes);
  const write = (more) =>
    pipelineOf(usual, input, { ...request, options: { ...options, ...more } }, first).toBuffer({ resolveWithObject: true });
  const { data, how } = await fitted(write, to, options);
  if (data === undefined) throw new Failure("CONVERSION_FAILED", "The picture cannot be made as small as that.");
  if (isKept && from === to && data.length >= bytes.length) {
    notes.set("SOURCE_KEPT");
    return handedOver(bytes);
  }
  if (how !== undefined) notes.set("FITTED_TO_SIZE", how);
  return handedOver(data);
}

/** @throws Failure INVALID_OPTION if an option cannot be applied to this picture. */
function assertChanges(first, request) {
  const { crop, flip = "none", rotate = "0" } = request.options;
  if (movesOf(first, request) && (crop !== undefined || flip !== "none" || rotate !== "0")) {
    throw new Failure("INVALID_OPTION", "An animation can be made smaller, but not cropped, mirrored or turned.");
  }
  if (crop === undefined) return;
  const box = boxOf(crop);
  const isTurned = (first.orientation ?? 1) > 4;
  const [width, height] = isTurned ? [first.height, first.width] : [first.width, first.height];
  if (box.width < 1 || box.height < 1 || box.left + box.width > width || box.top + box.height > height) {
    throw new Failure("INVALID_OPTION", `The part to keep must lie within the picture of ${width} by ${height} pixels.`);
  }
}

function boxOf(crop) {
  const [width, height, left, top] = crop.split(/[x+]/).map(Number);
  return { width, height, left, top };
}

function smallerOf(bytes, output, notes) {
  const written = output.data === undefined ? statSync("out").size : Buffer.byteLength(output.data, "base64");
  if (written < bytes.length) return output;
  notes.set("SOURCE_KEPT");
  return handedOver(bytes);
}

/** Assumed of a small picture while libvips describes it, as nearly all are: converting it meanwhile saves a tenth of its time. */
const plain = { depth: "uchar", pages: 1, width: 1, height: 1 };

function movesOf(first, { from, to }) {
  return (first.pages ?? 1) > 1 && animated.has(from) && animated.has(to);
}

function pipelineOf(bytes, input, request, first) {
  const { from, to, options } = request;
  const image = sharp(bytes, input);
  if (!movesOf(first, request)) image.autoOrient();
  if (losesGreyDepth(first, options)) image.pipelineColourspace("b-w").toColourspace("b-w");
  else if (first.depth === "ushort" && depthIn(to) > 8) keepDepth(image, first);
  shape(image, from, options);
  if (first.isOverfull) image.removeAlpha();
  else if (flattens(request)) image.flatten({ background: options.background ?? "#ffffff" });
  keepMetadata(image, request, first);
  if (keepsProfile(first, options)) image.keepIccProfile();
  // libvips silently converts 16-bit pictures with a profile to a wider colour space.
  else if (first.depth === "ushort" && isConverted(first, options)) image.withIccProfile("srgb", { attach: false });
  setDensity(image, request, first, (input.density * 96) / 72);
  const output = encoded(image, to, options, first);
  if (output === undefined) throw new Failure("CONVERSION_FAILED", "No such target.");
  return output;
}

function noteWhatIsLost(first, request, notes) {
  const { from, to, options } = request;
  const moves = movesOf(first, request);
  if (moves && from === "webp" && to === "gif" && first.delay?.some((ms) => ms % 10 !== 0))
    notes.set("MEDIA_CHANGED", "Frame times were rounded to hundredths of a second.");
  if ((first.orientation ?? 1) > 1 && !moves) notes.set("ORIENTATION_APPLIED");
  if ((first.pages ?? 1) > 1 && !moves) {
    const [code, word] = animated.has(from) ? ["ANIMATION_REDUCED", "frame"] : ["PAGES_LEFT_OUT", "page"];
    notes.set(code, `Only ${word} ${options.page ?? 1} of ${first.pages} was converted.`);
  }
  if (first.isHdr) notes.set("PROFILE_CONVERTED", "The picture's high dynamic range was mapped to standard dynamic range (sRGB).");
  else if (/^(cmyk|labs?)$/.test(first.space) || isConverted(first, options)) notes.set("PROFILE_CONVERTED");
  const [bits, kept] = [first.bitsPerSample ?? 16, losesGreyDepth(first, options) || first.space === "labs" ? 8 : depthIn(to)];
  if ((first.depth === "ushort" && kept < bits) || first.space === "labs") {
    const others = notes.get("MEDIA_CHANGED");
    notes.set("MEDIA_CHANGED", `${others === undefined ? "" : `${others} `}Colours have ${kept} bits instead of ${bits}.`);
  }
}

function shape(image, from, options) {
  const { width, height, fit, rotate, crop, flip } = options;
  if (crop !== undefined) image.extract(boxOf(crop));
  if (flip === "horizontal") image.flop();
  if (flip === "vertical") image.flip();
  if (rotate !== undefined && rotate !== "0") image.rotate(Number(rotate));
  if (width === undefined && height === undefined) return;
  const background = options.background ?? { r: 255, g: 255, b: 255, alpha: 0 };
  image.resize({ width, height, fit: fit ?? "inside", background, withoutEnlargement: options.enlarge !== true && from !== "svg" });
}

const inlineBytes = 512 * 1024;
const streamedPixels = 8e6;

/** Small results travel in the answer, larger ones in a file. The largest are written while they are encoded. */
async function outputOf(image, request, first) {
  if (first.width * first.height > streamedPixels) {
    await image.toFile("out");
    clearDensity(request, first);
    return {};
  }
  return handedOver(clearDensity(request, first, await image.toBuffer()));
}

function handedOver(data) {
  if (data.length <= inlineBytes) return { data: data.toString("base64") };
  writeFileSync("out", data);
  return {};
}

async function answer(request) {
  const notes = new Map();
  try {
    const bytes = request.data === undefined ? readFileSync("in") : Buffer.from(request.data, "base64");
    if (request.parts === true) return { ok: true, data: await partsOf(bytes, request), notes: [] };
    const output = await outcomeOf(bytes, request, notes);
    return { ok: true, ...output, notes: [...notes] };
  } catch (error) {
    const failure = failureOf(error);
    return { ok: false, code: failure.code, message: failure.message, odd: failure.odd, said: String(error?.message).slice(0, 500) };
  }
}

async function outcomeOf(bytes, request, notes) {
  if (request.from === "ppm") return await writeDrawn(bytes, request);
  const readAsPng = { bmp: pngOfBmp, fits: pngOfFits, pam: pngOfPam }[request.from];
  if (readAsPng !== undefined) {
    const made = await readAsPng(sharp, bytes, request, notes);
    // The others state none.
    const png = request.from === "bmp" ? made : withoutDensity(made);
    return await convert(png, { ...request, from: "png", options: { ...request.options, page: 1 } }, notes, "warning");
  }
  if (request.from === "svg") return await convertKindly(plainSvg(bytes), request, notes);
  if (!isMoving(request.from, bytes)) return withSourceTexts(request, bytes, await convertKindly(bytes, request, notes));
  const tell = () => notes.set("ANIMATION_REDUCED", "Only the still picture of the animation was converted.");
  tell();
  const outcome = await convertKindly(stillOf(request.from, bytes), request, notes);
  tell();
  return outcome;
}

/** One empty label per page, because pages of pictures have none. */
async function partsOf(bytes, { from }) {
  const pages = from === "fits" ? picturesOfFits(bytes).length : ((await sharp(bytes).metadata()).pages ?? 1);
  return Buffer.from(JSON.stringify(Array(pages).fill(""))).toString("base64");
}

/** A process's first conversion takes 30 times as long as its second, so it runs before any request. */
async function warmUp() {
  const text = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><text y="15">Fm</text></svg>';
  const png = await sharp(Buffer.from(text)).png().toBuffer();
  for (const to of ["webp", "png", "jpg", "webp"]) await answer({ from: "png", to, data: png.toString("base64"), options: {} });
}

/** Splits lines itself, because an async iterator would add a tenth to the time of a small picture. */
function serve() {
  let parts = [];
  process.stdin.setEncoding("latin1");
  process.stdin.on("data", async (chunk) => {
    parts.push(chunk);
    if (!chunk.endsWith("\n")) return;
    const request = JSON.parse(Buffer.from(parts.join(""), "latin1").toString());
    parts = [];
    const reply = request.ready === true ? { ready: true } : await answer(request);
    process.stdout.write(`${JSON.stringify(reply)}\n`);
  });
}

if (threads === "--version") {
  process.stdout.write(`${sharp.versions.sharp} (libvips ${sharp.versions.vips})\n`);
} else {
  sharp.concurrency(Number(threads));
  await warmUp();
  serve();
}
