/** Which entries of an archive are joined, and in which order. */
import { FilemillError } from "#contract/errors.ts";
import type { ByteSource } from "#services/conversion/domain/guards/byte-source.ts";
import type { Answer } from "#services/conversion/domain/questions.ts";
import { type Member, parseListing } from "./archive-listing.ts";
import { writeToHost } from "./exchange.ts";
import { contentOf } from "./remote-file.ts";

/** Each is a separate conversion. */
export const maxEntries = 500;
const longestName = 1000;
const orderList = "order.txt";

/** Writes the names, one per line. `order`: the content of `order.txt` at the top level of the archive, or nothing. */
export async function joinOrderOf(listing: ByteSource, order: ByteSource): Promise<Answer<"joinOrder">> {
  const members = parseListing((await contentOf(listing)).toString("latin1"));
  const { names, left } = orderedNames(members, (await contentOf(order)).toString());
  writeToHost(Buffer.from(names.map((name) => `${name}\n`).join("")));
  return { names, left, isSite: isSite(members) };
}

/** Whether there is an `index.html` at the top level, or in the only folder there. */
export function isSite(members: readonly Pick<Member, "name" | "sort">[]): boolean {
  const files = members.filter(({ name, sort }) => sort === "file" && !isSystems(name)).map(({ name }) => name);
  const [top = ""] = files[0]?.split("/") ?? [];
  const folder = files.every((name) => name.startsWith(`${top}/`)) ? `${top}/` : "";
  return files.some((name) => name.startsWith(folder) && /^index\.html?$/i.test(name.slice(folder.length)));
}

/**
 * All files in natural order, 2 before 10, or those in the list, in its order. `left` is the number of files not in the list. Files that
 * operating systems add are ignored.
 *
 * @throws FilemillError INVALID_INPUT if there is nothing to join or the list names a missing file, INPUT_TOO_COMPLEX for too many files.
 */
export function orderedNames(
  members: readonly Pick<Member, "name" | "sort">[],
  order: string,
): { readonly names: readonly string[]; readonly left: number } {
  const files = members.filter(({ name, sort }) => sort === "file" && !isSystems(name)).map(({ name }) => name);
  const listed = order.split(/\r?\n/).flatMap((line) => lineOf(line));
  const joinable = files.filter((name) => name !== orderList);
  const names = listed.length > 0 ? listed : joinable.sort(compareNames);
  const known = new Set(files);
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined)
    throw new FilemillError("INVALID_INPUT", `${orderList} names “${missing.slice(0, 100)}”, which is not in the archive.`);
  if (names.length === 0) throw new FilemillError("INVALID_INPUT", "The archive contains no files to join.");
  if (names.length > maxEntries) throw new FilemillError("INPUT_TOO_COMPLEX", `At most ${maxEntries} files can be joined.`);
  if (names.some((name) => name.length > longestName))
    throw new FilemillError("INPUT_TOO_COMPLEX", "The archive has a name that is too long.");
  const joined = new Set(names);
  return { names, left: joinable.filter((name) => !joined.has(name)).length };
}

function lineOf(line: string): readonly string[] {
  const name = line
    .replace(/^\uFEFF/, "")
    .trim()
    .replace(/^\.\//, "");
  return name === "" || name.startsWith("#") ? [] : [name];
}

function isSystems(name: string): boolean {
  return name.split("/").some((step) => step.startsWith(".") || /^(__MACOSX|Thumbs\.db|desktop\.ini|Icon\r)$/i.test(step));
}

const { compare } = new Intl.Collator("en", { numeric: true });

/** Folder by folder. */
function compareNames(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")];
  for (const [index, step] of left.entries()) {
    const difference = compare(step, right[index] ?? "");
    if (difference !== 0) return difference;
  }
  return left.length - right.length || (a < b ? -1 : Number(a > b));
}
