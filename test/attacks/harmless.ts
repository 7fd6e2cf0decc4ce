/** A small good file for each engine: what must convert after every attack. */
import { silence } from "#test/harness/hostile-files.ts";
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
  ffmpeg: { fileName: "a.wav", to: "flac", content: silence(20_000) },
};
