/** Archives that raise each note of the joining engines. */
import { writeFile } from "node:fs/promises";
import sharp from "sharp";
import { type ZipPart, zipFile } from "#test/harness/zip-file.ts";
import type { Occurrence } from "./occurrence.ts";

/** A picture with the extension of another format, which is noted as a change. */
const misnamed = async (name: string | Buffer = "a.jpg"): Promise<ZipPart> => ({
  name,
  content: await sharp({ create: { width: 16, height: 16, channels: 3, background: "red" } })
    .png()
    .toBuffer(),
});
const zipOf =
  (...parts: readonly (() => Promise<ZipPart>)[]) =>
  async (path: string) =>
    writeFile(path, zipFile(await Promise.all(parts.map((part) => part()))));

const link = async (): Promise<ZipPart> => ({ name: "link", content: "/etc/hostname", isLink: true });

export const joins: readonly Occurrence[] = Object.entries({
  "join-pdf": "pdf",
  "join-tiff": "tiff",
  "join-html": "html",
  "join-comic": "cbz",
  "join-media": "gif",
}).flatMap(([engine, to]): Occurrence[] => [
  { engine, hop: `zip>${to}`, code: "ENTRIES_CHANGED", content: zipOf(misnamed) },
  { engine, hop: `zip>${to}`, code: "ENTRIES_LEFT_OUT", content: zipOf(misnamed, link) },
  { engine, hop: `zip>${to}`, code: "NAMES_CHANGED", content: zipOf(() => misnamed("a\\b.png")) },
  { engine, hop: `zip>${to}`, code: "ENCODING_GUESSED", content: zipOf(() => misnamed(Buffer.from("\x81.png", "latin1"))) },
]);
