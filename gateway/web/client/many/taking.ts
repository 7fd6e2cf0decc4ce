/** Takes what is dropped, pasted or chosen into the list, out of its folders. */
import { signal } from "@preact/signals";
import { addFiles } from "#client/convert/run.ts";
import { chosenIn, entriesOf, type Walked, walk } from "./walk.ts";

/** Folders are being read. */
export const isReading = signal(false);
/** What the last folders held that is not in the list. */
export const leftOut = signal<Pick<Walked, "unreadable" | "cut"> | undefined>(undefined);

/** To be called while the event is told. */
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

/** Not every browser of a phone can. */
export function canChooseFolders(): boolean {
  return "webkitdirectory" in HTMLInputElement.prototype;
}

/** Asks the reader for a folder. */
export function chooseFolder(): void {
  const input = document.createElement("input");
  input.type = "file";
  input.webkitdirectory = true;
  input.addEventListener("change", () => takeChosen(input.files ?? []));
  input.click();
}
