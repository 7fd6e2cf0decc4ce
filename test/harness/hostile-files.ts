/** Small files that a converter has to refuse or that keep it busy, generated on the fly. */
import { crc32 } from "node:zlib";
import { wavHeader, wavHeaderBytes } from "./wav-file.ts";

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** A PNG of a few bytes whose header claims `side` × `side` pixels. */
export function vastPng(side: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", header),
    pngChunk("IDAT", Buffer.alloc(16)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A PDF with one empty page and an unknown password. */
export function lockedPdf(): Buffer<ArrayBuffer> {
  const secret = "5a".repeat(32);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] >>",
    `<< /Filter /Standard /V 1 /R 2 /O <${secret}> /U <${secret}> /P -4 >>`,
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  text += `xref\n0 5\n0000000000 65535 f \n${entries}trailer\n<< /Size 5 /Root 1 0 R /Encrypt 4 0 R /ID [<${secret}> <${secret}>] >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, "latin1");
}

/** A drawing of a few kilobytes that takes minutes to render on any machine. */
export function slowDrawing(): Buffer<ArrayBuffer> {
  const blurs = '<feGaussianBlur stdDeviation="90"/>'.repeat(400);
  const filter = `<filter id="f"><feTurbulence numOctaves="9" baseFrequency="0.7"/>${blurs}</filter>`;
  const size = 'width="2000" height="2000"';
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${filter}<rect ${size} filter="url(#f)"/></svg>`);
}

/** Silence as WAV, 192 kB per second. */
export function silence(bytes: number): Buffer<ArrayBuffer> {
  const file = Buffer.alloc(bytes);
  file.set(wavHeader(bytes - wavHeaderBytes, { sampleRate: 48_000, channels: 2, sampleBytes: 2 }));
  return file;
}
