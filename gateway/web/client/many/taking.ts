/** Adds dropped, pasted or chosen files to the list, including those in folders. */
import { signal } from "@preact/signals";
import { addFiles } from "#client/convert/run.ts";
import { chosenIn, entriesOf, type Walked, walk } from "./walk.ts";

/** True while folders are being read. */
export const isReading = signal(false);
/** Files of the last folders that were not added to the list. */
export const leftOut = signal<Pick<Walked, "unreadable" | "cut"> | undefined>(undefined);

/** Must be called inside the event handler. */
export async function takeDropped(data: DataTransfer | null): Promise<void> {
  const entries = entriesOf(data);
  if (entries.length === 0) return;
  isReading.value = true;
  try {
    take(await walk(entries));
  } finally {
    isReading.value = false;
  }
}

export function takeChosen(files: Iterable<File>): void {
  take(chosenIn(files));
}

function take({ chosen, unreadable, cut }: Walked): void {
  leftOut.value = unreadable.length > 0 || cut ? { unreadable, cut } : undefined;
  if (chosen.length > 0) addFiles(chosen);
}

/** Some mobile browsers cannot choose folders. */
export function canChooseFolders(): boolean {
  return "webkitdirectory" in HTMLInputElement.prototype;
}

/** Opens the folder dialog. */
export function chooseFolder(): void {
  const input = document.createElement("input");
  input.type = "file";
  input.webkitdirectory = true;
  input.addEventListener("change", () => takeChosen(input.files ?? []));
  input.click();
}
