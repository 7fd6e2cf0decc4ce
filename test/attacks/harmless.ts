/** A small good file for each engine: what must convert after every attack. */
import { silence } from "#test/harness/hostile-files.ts";
import { zipFile } from "#test/harness/zip-file.ts";
import type { AimedEngine } from "./attack.ts";
import { docx, paragraph } from "./office-files.ts";
import { onePage } from "./pdf-attacks.ts";
import { png } from "./picture-files.ts";

type Harmless = { readonly fileName: string; readonly to: string; readonly content: Uint8Array | string };

export const harmless: Readonly<Record<AimedEngine, Harmless>> = {
  sharp: { fileName: "a.png", to: "webp", content: png({ width: 16, height: 16 }) },
  poppler: { fileName: "a.pdf", to: "png", content: onePage("0 0 9 9 re f") },
  pandoc: { fileName: "a.md", to: "html", content: "# Good\n" },
  libreoffice: { fileName: "a.docx", to: "pdf", content: docx(paragraph("Good")) },
  ghostscript: { fileName: "a.ps", to: "pdf", content: "%!PS\n9 9 99 99 rectfill showpage\n" },
  rsvg: {
    fileName: "a.svg",
    to: "pdf",
    content: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><path d="M0 0L9 9Z"/></svg>',
  },
  archive: { fileName: "a.zip", to: "tar", content: zipFile([{ name: "a.txt", content: "good" }]) },
  data: { fileName: "a.json", to: "yaml", content: '{"a":1}' },
  ffmpeg: { fileName: "a.wav", to: "flac", content: silence(20_000) },
};
