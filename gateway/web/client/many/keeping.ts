/** Keeps chosen files across a reload, and knows which could not be kept. */
import { effect } from "@preact/signals";
import { formatOfFile } from "#client/convert/catalogue.ts";
import { type Item, isBusy, items } from "#client/convert/items.ts";
import { giveUpUpload } from "#client/convert/upload.ts";
import { allFacts, fileOf, openStore, put, remove, SHARED, type Stored } from "./stored.ts";
import { openWindows } from "./window-id.ts";

/** Limit for all files together, because the browser stores a copy of each. */
const MAX_BYTES = 2_000_000_000;
/** Files of closed windows are deleted after this time. */
const STALE_MS = 3_600_000;
const SETTLE_MS = 250;

const written = new Map<string, { readonly facts: string; readonly bytes: number }>();
const refused = new Set<string>();
/** Id of this window, once its files were restored. */
let owner = "";
let store: IDBDatabase | undefined;
let isKeeping = false;

/** True if a reload would lose the item's file. */
export function wouldBeLost(item: Item): boolean {
  return isToKeep(item) && !written.has(item.id);
}

/** A file can be needed again until its conversion is done. */
function isToKeep({ file, phase }: Item): boolean {
  return file !== undefined && phase.name !== "done" && phase.name !== "gone";
}

/** The files that this window kept, and files that were shared with the page since. Never rejects. */
export async function keptItems(): Promise<readonly Item[]> {
  try {
    store ??= await openStore();
    const opened = store;
    const windows = await openWindows();
    owner = windows.own;
    const all = await allFacts(opened);
    const old = all.filter((each) => each.owner !== owner && !windows.isOpen(each.owner) && Date.now() - each.savedAtMs > STALE_MS);
    const oldIds = old.map(({ id }) => id);
    if (old.length > 0) await remove(opened, oldIds);
    for (const { upload } of old) giveUpUpload(upload);
    const own = all.filter((each) => each.owner === owner || (each.owner === SHARED && !old.includes(each)));
    const kept = await Promise.all(own.toSorted((a, b) => a.place - b.place).map((each) => restored(opened, each)));
    return kept.flatMap((item) => item ?? []);
  } catch {
    // Without a store, the page warns before it is closed.
    return [];
  }
}

async function restored(
  store: IDBDatabase,
  { id, name, folder, from, fromChosen, to, options, jobId, upload, started }: Stored,
): Promise<Item | undefined> {
  const file = await fileOf(store, id);
  if (file === undefined) return undefined;
  written.set(id, { facts: "", bytes: file.size });
  const phase = { name: started ? "waiting" : "choosing" } as const;
  // The format of shared files has not been detected yet.
  const seen = from ?? formatOfFile(name, file.type)?.id;
  return { id, name, folder, batch: 0, sizeBytes: file.size, file, from: seen, fromChosen, to, options, jobId, upload, phase };
}

/** Saves every change of the list from now on. Call it after all kept files are in the list, because others are deleted. */
export function keepChanges(): void {
  if (store === undefined || isKeeping) return;
  isKeeping = true;
  const opened = store;
  let isPlanned = false;
  let isWriting = false;
  const write = async (): Promise<void> => {
    isPlanned = false;
    if (isWriting) return;
    isWriting = true;
    const before = items.value;
    await writeAll(opened, before).catch(() => {});
    isWriting = false;
    if (items.value !== before) later();
  };
  const later = (): void => {
    if (!isPlanned) setTimeout(() => void write(), SETTLE_MS);
    isPlanned = true;
  };
  effect(() => {
    items.value;
    later();
  });
}

async function writeAll(store: IDBDatabase, now: readonly Item[]): Promise<void> {
  const wanted = new Map(now.map((item, place) => [item.id, { item, place }] as const).filter(([, { item }]) => isToKeep(item)));
  const gone = [...written.keys()].filter((id) => !wanted.has(id));
  if (gone.length > 0) await remove(store, gone);
  for (const id of gone) written.delete(id);
  const renewed: Stored[] = [];
  for (const { item, place } of wanted.values()) {
    const facts = factsOf(item, place);
    const text = JSON.stringify({ ...facts, savedAtMs: 0 });
    const before = written.get(item.id);
    if (before?.facts === text) continue;
    if (before !== undefined) {
      renewed.push(facts);
      written.set(item.id, { ...before, facts: text });
    } else await writeFile(store, facts, item.file, text);
  }
  if (renewed.length > 0) await put(store, renewed);
}

/** Writes one file at a time, because each is a copy. */
async function writeFile(store: IDBDatabase, facts: Stored, file: File | undefined, text: string): Promise<void> {
  if (file === undefined || refused.has(facts.id)) return;
  const bytes = [...written.values()].reduce((sum, each) => sum + each.bytes, file.size);
  try {
    if (bytes > MAX_BYTES) throw new RangeError("too much to keep");
    await put(store, [facts], file);
    written.set(facts.id, { facts: text, bytes: file.size });
  } catch {
    // Not retried: the disk is full, or the file can no longer be read.
    refused.add(facts.id);
  }
}

function factsOf(item: Item, place: number): Stored {
  const { id, name, folder, from, fromChosen, to, options, jobId, upload } = item;
  return { id, owner, place, savedAtMs: Date.now(), name, folder, from, fromChosen, to, options, jobId, upload, started: isBusy(item) };
}
