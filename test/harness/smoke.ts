/** A few everyday conversions over REST, which tell a working service from one that merely responds. */
import { readFile } from "node:fs/promises";

export type Smoke = { readonly from: string; readonly to: string; readonly ms: number; readonly failure: string | undefined };

/** One for each kind of everyday engine: file under test/corpus/typical, target, and first bytes of the result. */
const conversions = [
  ["image/typical.png", "webp", "RIFF"],
  ["image/typical.heic", "jpg", "\xff\xd8\xff"],
  ["vector/typical.svg", "pdf", "%PDF-"],
  ["document/typical.md", "docx", "PK\x03\x04"],
  ["document/typical.docx", "pdf", "%PDF-"],
  ["document/typical.pdf", "png", "\x89PNG"],
  ["document/typical.html", "pdf", "%PDF-"],
  ["spreadsheet/typical.xlsx", "csv", ""],
  ["presentation/typical.pptx", "pdf", "%PDF-"],
  ["audio/typical.wav", "mp3", ""],
  ["video/typical.mp4", "webm", "\x1aE\xdf\xa3"],
  ["archive/typical.zip", "tgz", "\x1f\x8b"],
  ["data/typical.json", "yaml", ""],
  ["font/typical.ttf", "woff2", "wOF2"],
] as const;

/** Converts one file of each kind. A conversion that the service does not list counts as failed. */
export async function convertOneOfEach(url: string, key: string): Promise<readonly Smoke[]> {
  const results: Smoke[] = [];
  for (const [file, to, magic] of conversions) {
    const began = performance.now();
    const failure = await failureOf(url, key, file, to, magic).catch((error: unknown) => String(error));
    results.push({ from: file.slice(file.lastIndexOf(".") + 1), to, ms: Math.round(performance.now() - began), failure });
  }
  return results;
}

async function failureOf(url: string, key: string, file: string, to: string, magic: string): Promise<string | undefined> {
  const form = new FormData();
  form.append("to", to);
  form.append("file", new File([new Uint8Array(await readFile(`test/corpus/typical/${file}`))], file.slice(file.indexOf("/") + 1)));
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/api/v1/convert?download=wait`, { method: "POST", headers, body: form });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) return `${answer.status} ${bytes.toString("utf8", 0, 300)}`;
  if (bytes.length === 0 || bytes.toString("latin1", 0, magic.length) !== magic) return `not a file of the format ${to}`;
  return undefined;
}

/** How many formats and conversions a service lists. */
export async function listingOf(url: string): Promise<{ readonly formats: number; readonly conversions: number }> {
  const { formats, conversions } = JSON.parse(await (await fetch(`${url}/api/v1/formats`)).text());
  return { formats: formats.length, conversions: conversions.length };
}
