/** The words of a document, extracted by independent programs. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Everything readable in a file, tags included; old binary formats are searched as UTF-16 too. */
export async function textOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (bytes.subarray(0, 5).toString() === "%PDF-") return (await run("pdftotext", ["-enc", "UTF-8", path, "-"])).stdout;
  if (bytes.readUInt32LE(0) === 0x04034b50) {
    return (
      await run("unzip", ["-p", path, "*.xml", "*.xhtml", "*.opf"], { maxBuffer: 64 * 2 ** 20 }).catch((error: { stdout: string }) => error)
    ).stdout;
  }
  // UTF-16 of Latin letters is Latin-1 with zeros in between.
  return `${bytes.toString("utf8")}\n${bytes.toString("latin1").replaceAll("\0", "")}`;
}

/** A sentence in Windows-1251. */
export const russian = {
  text: "Привет, мир! Это проверка кодировки текста.",
  bytes: Buffer.from("cff0e8e2e5f22c20ece8f02120ddf2ee20eff0eee2e5f0eae020eaeee4e8f0eee2eae820f2e5eaf1f2e02e", "hex"),
};
