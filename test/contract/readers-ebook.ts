/** Extracts the text of e-books without the program that writes them. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { inflateSync } from "node:zlib";

const run = promisify(execFile);

/** @throws Error for a format without a reader here. */
export async function bookTextOf(path: string, format: string): Promise<string> {
  switch (format) {
    case "epub":
    case "mobi":
    case "prc":
    case "azw":
    case "fb2":
      return (await run("mutool", ["draw", "-q", "-F", "text", path], { maxBuffer: 16 * 2 ** 20 })).stdout.replace(/\s+/g, " ");
    case "azw3":
      return palmText(await readFile(path), 0);
    case "htmlz":
    case "txtz":
    case "pmlz":
      return (
        await run("unzip", ["-p", path, "*.html", "*.htm", "*.txt", "*.pml"], { maxBuffer: 16 * 2 ** 20 }).catch(
          (error: { stdout: string }) => error,
        )
      ).stdout;
    case "tcr":
      return tcrText(await readFile(path));
    case "pdb":
      return palmText(await readFile(path), 0) + inflatedText(await readFile(path));
    case "lrf":
    case "rb":
      return inflatedText(await readFile(path));
    default:
      throw new Error(`no reader of ${format}`);
  }
}

/** Decodes every zlib stream in the file as UTF-8 and UTF-16, for formats that deflate their text page by page. */
function inflatedText(bytes: Buffer): string {
  const texts: string[] = [];
  for (let at = 0; at + 2 <= bytes.length; at++) {
    // RFC 1950: deflate, with any window size, and a header divisible by 31.
    if (((bytes[at] ?? 0) & 0x8f) !== 8 || bytes.readUInt16BE(at) % 31 !== 0) continue;
    try {
      const inflated = inflateSync(bytes.subarray(at), { finishFlush: 2 });
      texts.push(inflated.toString("utf8"), inflated.toString("utf16le"), inflated.subarray(1).toString("utf16le"));
    } catch {
      // Not the start of a stream.
    }
  }
  return texts.join("\n");
}

/** Psion TCR: 256 strings after the signature, then bytes that each stand for one. */
function tcrText(bytes: Buffer): string {
  const strings: string[] = [];
  let at = 9;
  for (let index = 0; index < 256; index++) {
    const length = bytes[at] ?? 0;
    strings.push(bytes.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return Buffer.from([...bytes.subarray(at)].map((byte) => strings[byte] ?? "").join(""), "latin1").toString("utf8");
}

/** Records of a Palm database, compressed by PalmDOC or uncompressed; see MobileRead's wiki, “PalmDOC”. */
function palmText(bytes: Buffer, first: number): string {
  const count = bytes.readUInt16BE(76);
  const offsets = Array.from({ length: count }, (_, index) => bytes.readUInt32BE(78 + index * 8));
  const header = offsets[first] ?? 0;
  const [compression, records] = [bytes.readUInt16BE(header), bytes.readUInt16BE(header + 8)];
  const parts = Array.from({ length: Math.min(records, count - first - 1) }, (_, index) =>
    bytes.subarray(offsets[first + 1 + index], offsets[first + 2 + index]),
  );
  return Buffer.concat(parts.map((part) => (compression === 2 ? unpacked(part) : part))).toString("utf8");
}

function unpacked(record: Buffer): Buffer {
  const out: number[] = [];
  for (let at = 0; at < record.length; ) {
    const byte = record[at++] ?? 0;
    if (byte >= 1 && byte <= 8) for (let index = 0; index < byte; index++) out.push(record[at++] ?? 0);
    else if (byte < 0x80) out.push(byte);
    else if (byte >= 0xc0) out.push(0x20, byte ^ 0x80);
    else {
      const pair = ((byte << 8) | (record[at++] ?? 0)) & 0x3fff;
      for (let index = 0; index < (pair & 7) + 3; index++) out.push(out[out.length - (pair >> 3)] ?? 0);
    }
  }
  return Buffer.from(out);
}
