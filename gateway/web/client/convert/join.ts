/** Joins files of the list into one archive, in list order. */

import { downloadZip } from "client-zip";
import { t } from "#client/parts/language.tsx";
import { ApiError } from "#client/server/api.ts";
import type { Item } from "./items.ts";
import { items, news } from "./items.ts";
import { addFiles } from "./run.ts";

/** True for waiting files whose content is still available. */
export function canBeJoined({ file, phase }: Item): boolean {
  return file !== undefined && phase.name === "choosing";
}

/**
 * Replaces the files with one archive. Entry names start with their position. Rejects if a file can no longer be read, or if one was
 * started or removed meanwhile, because its job would continue unseen.
 */
export async function joinIntoOne(parts: readonly Item[]): Promise<void> {
  const files = parts.flatMap(({ file }) => file ?? []);
  const digits = String(files.length).length;
  const archive = downloadZip(
    files.map((file, index) => ({
      name: `${String(index + 1).padStart(digits, "0")}-${file.name}`,
      input: file,
      lastModified: new Date(file.lastModified),
    })),
  );
  const content = await archive.blob();
  const joined = new Set(parts.map(({ id }) => id));
  if (items.value.filter((item) => joined.has(item.id) && canBeJoined(item)).length < joined.size)
    throw new ApiError(0, { error: { code: "PAGE_FAILED", message: t("text.joinDisturbed") } }, null);
  items.value = items.value.filter(({ id }) => !joined.has(id));
  const file = new File([content], t("text.joinedName", { files: files.length }), { type: "application/zip" });
  addFiles([{ file, folder: "" }], "pdf");
  news.value = t("text.joined", { files: files.length });
}

/** Moves a file to a position in the list. */
export function moveTo(id: string, place: number): void {
  const moved = items.value.find((item) => item.id === id);
  if (moved === undefined) return;
  const rest = items.value.filter((item) => item !== moved);
  const at = Math.min(rest.length, Math.max(0, place));
  items.value = [...rest.slice(0, at), moved, ...rest.slice(at)];
  news.value = t("text.moved", { name: moved.name, place: at + 1, count: items.value.length });
}
