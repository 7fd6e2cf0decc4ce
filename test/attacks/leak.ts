/** Searches a conversion's result for a secret: in bytes, inside packages, in PDF text and in pixels. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inflateRawSync } from "node:zlib";
import sharp from "sharp";
import { secretColour } from "./canaries.ts";

const run = promisify(execFile);
const pictures = new Set(["png", "jpg", "webp", "tiff", "gif", "avif"]);
const colourTolerance = 40;

/** Undefined if nothing was found. */
export async function leakOf(result: Buffer, format: string, secret: string): Promise<string | undefined> {
  if (holds(result, secret)) return "the secret's text";
  for (const { name, content } of zipPartsOf(result)) {
    if (holds(content, secret)) return `the secret's text in ${name}`;
    if (/\.(png|jpe?g)$/.test(name) && (await showsColour(content).catch(() => false))) return `the secret's picture in ${name}`;
  }
  if (pictures.has(format) && (await showsColour(result))) return "the secret's picture";
  return format === "pdf" ? pdfLeakOf(result, secret) : undefined;
}

function holds(bytes: Buffer, secret: string): boolean {
  const base64 = Buffer.from(secret).toString("base64").slice(4, -4);
  return bytes.includes(secret) || bytes.includes(Buffer.from(secret, "utf16le")) || bytes.includes(base64);
}

async function showsColour(picture: Buffer): Promise<boolean> {
  const { data, info } = await sharp(picture, { limitInputPixels: 1e8 })
    .removeAlpha()
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  for (let at = 0; at + 2 < data.length; at += info.channels) {
    if (secretColour.every((value, channel) => Math.abs((data[at + channel] ?? 0) - value) < colourTolerance)) return true;
  }
  return false;
}

async function pdfLeakOf(result: Buffer, secret: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "filemill-leak-"));
  try {
    const path = join(folder, "a.pdf");
    await writeFile(path, result);
    const { stdout } = await run("pdftotext", [path, "-"], { maxBuffer: 2 ** 26 });
    if (stdout.replaceAll(/\s/g, "").includes(secret)) return "the secret's text on a page";
    await run("pdftoppm", ["-r", "40", "-l", "3", "-png", "-singlefile", path, join(folder, "page")]);
    return (await showsColour(await sharp(join(folder, "page.png")).toBuffer())) ? "the secret's picture on a page" : undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Names in a package that would harm whoever unpacks it, and links. */
export function unsafePartsOf(bytes: Buffer): string[] {
  const parts = zipPartsOf(bytes).filter(({ name, isLink }) => isLink || /^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)|\p{Cc}/u.test(name));
  return parts.map(({ name }) => name);
}

type ResultPart = { readonly name: string; readonly content: Buffer; readonly isLink: boolean };

/** From local headers, since results are our own and honest. */
function zipPartsOf(bytes: Buffer): ResultPart[] {
  if (!bytes.subarray(0, 4).equals(Buffer.from("PK\x03\x04", "latin1"))) return [];
  const parts: ResultPart[] = [];
  const end = bytes.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  for (let at = bytes.readUInt32LE(end + 16); at + 46 <= end && bytes.readUInt32LE(at) === 0x02014b50; ) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    const local = bytes.readUInt32LE(at + 42);
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const packed = bytes.subarray(from, from + bytes.readUInt32LE(at + 20));
    const name = bytes.toString("utf8", at + 46, at + 46 + (nameBytes ?? 0));
    const isLink = bytes[at + 5] === 3 && bytes.readUInt32LE(at + 38) >>> 28 === 10;
    parts.push({ name, isLink, content: bytes.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed) });
    at += 46 + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
  return parts;
}
