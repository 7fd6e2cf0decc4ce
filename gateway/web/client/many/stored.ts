/** The browser's store for waiting files. They survive a reload, and the service worker leaves shared files here. */
import type { Choices, Item } from "#client/convert/items.ts";

/** A file in the store. */
export type Stored = {
  readonly id: string;
  /** The window that owns the file. */
  readonly owner: string;
  /** Position in the list. */
  readonly place: number;
  readonly savedAtMs: number;
  readonly name: string;
  readonly folder: string;
  readonly from: string | undefined;
  readonly fromChosen: boolean;
  readonly to: string | undefined;
  readonly options: Choices;
  readonly jobId: string | undefined;
  readonly upload?: Item["upload"];
  /** The file was being converted and continues after a reload. */
  readonly started: boolean;
};

/** Owner of files that another app shared, until a window takes them. */
export const SHARED = "shared";

const DATABASE = "filemill";
/** Facts and bytes are stored separately, because bytes are written only once. */
const FACTS = "facts";
const BYTES = "bytes";

/** Rejects if the browser has no store or denies access to it. */
export function openStore(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener("upgradeneeded", () => {
      opening.result.createObjectStore(FACTS, { keyPath: "id" });
      opening.result.createObjectStore(BYTES);
    });
    opening.addEventListener("success", () => resolve(opening.result));
    opening.addEventListener("error", () => reject(opening.error));
    opening.addEventListener("blocked", () => reject(new Error("blocked")));
  });
}

/** Resolves when the data is stored. Rejects if there is no space. */
export function put(store: IDBDatabase, facts: readonly Stored[], file?: File): Promise<void> {
  return changed(store, (transaction) => {
    for (const each of facts) transaction.objectStore(FACTS).put(each);
    const [first] = facts;
    if (file !== undefined && first !== undefined) transaction.objectStore(BYTES).put(file, first.id);
  });
}

export function remove(store: IDBDatabase, ids: readonly string[]): Promise<void> {
  return changed(store, (transaction) => {
    for (const id of ids) {
      transaction.objectStore(FACTS).delete(id);
      transaction.objectStore(BYTES).delete(id);
    }
  });
}

export function allFacts(store: IDBDatabase): Promise<readonly Stored[]> {
  return answerOf(store.transaction(FACTS).objectStore(FACTS).getAll() as IDBRequest<Stored[]>);
}

/** Undefined if the bytes were not stored. */
export function fileOf(store: IDBDatabase, id: string): Promise<File | undefined> {
  return answerOf(store.transaction(BYTES).objectStore(BYTES).get(id) as IDBRequest<File | undefined>);
}

function changed(store: IDBDatabase, change: (transaction: IDBTransaction) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = store.transaction([FACTS, BYTES], "readwrite");
    transaction.addEventListener("complete", () => resolve());
    transaction.addEventListener("abort", () => reject(transaction.error));
    try {
      change(transaction);
    } catch (error) {
      transaction.abort();
      reject(error);
    }
  });
}

function answerOf<Answer>(request: IDBRequest<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error));
  });
}
